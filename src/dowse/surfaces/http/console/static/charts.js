import {draw, make, number} from './common.js';

const WIDTH = 640, HEIGHT = 176, LEFT = 44, BOTTOM = 22, TOP = 8;
const LABELS = 5;

/** Stacked bars, one for each slot. */
export function bars(place, slots, series) {
  const top = ceiling(Math.max(...slots.map((slot) => series.reduce((sum, [, value]) => sum + value(slot), 0))));
  const step = (WIDTH - LEFT) / slots.length;
  const shapes = slots.flatMap((slot, number) => {
    let at = 0;
    return series.map(([, value, kind]) => {
      const height = value(slot) / top * (HEIGHT - BOTTOM - TOP);
      at += height;
      return height ? draw('rect', {class: kind, x: LEFT + number * step + step * 0.12, y: HEIGHT - BOTTOM - at, width: step * 0.76, height, rx: Math.min(2, step / 4)}) : null;
    });
  });
  chart(place, slots, series, top, shapes, 'Calls');
}

/** A line for each series; slots without calls are gaps. */
export function lines(place, slots, series) {
  const top = ceiling(Math.max(...slots.flatMap((slot) => series.map(([, value]) => value(slot)))));
  const step = (WIDTH - LEFT) / slots.length;
  const shapes = series.flatMap(([, value, kind]) => {
    const points = slots.map((slot, number) => slot.calls ? [LEFT + (number + 0.5) * step, HEIGHT - BOTTOM - value(slot) / top * (HEIGHT - BOTTOM - TOP)] : null);
    const path = points.map((point, number) => point ? `${points[number - 1] ? 'L' : 'M'}${point[0].toFixed(1)} ${point[1].toFixed(1)}` : '').join('');
    const dots = points.filter(Boolean).map(([x, y]) => draw('circle', {class: kind, cx: x, cy: y, r: 2.6}));
    return [draw('path', {class: kind, d: path}), ...dots];
  });
  chart(place, slots, series, top, shapes, 'Milliseconds');
}

function chart(place, slots, series, top, shapes, what) {
  const isOpen = place.querySelector('details')?.open;
  const grid = [0, 0.5, 1].flatMap((share) => {
    const y = HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
    return [draw('line', {class: 'grid', x1: LEFT, x2: WIDTH, y1: y, y2: y}), draw('text', {x: LEFT - 8, y: y + 4, 'text-anchor': 'end'}, short(share * top))];
  });
  const times = Array.from({length: LABELS}, (_, number) => {
    const slot = Math.round(number * (slots.length - 1) / (LABELS - 1));
    const x = LEFT + (slot + 0.5) * (WIDTH - LEFT) / slots.length;
    return draw('text', {x, y: HEIGHT - 4, 'text-anchor': number === LABELS - 1 ? 'end' : number ? 'middle' : 'start'}, clock(slots[slot].at));
  });
  const label = `${what} by time: ${series.map(([name]) => name).join(', ')}. The numbers are in the table below.`;
  place.replaceChildren(draw('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label}, ...grid, ...shapes, ...times),
    table(slots, series, isOpen));
}

/** The numbers behind a chart. */
function table(slots, series, isOpen) {
  const rows = slots.filter((slot) => slot.calls).map((slot) => make('tr', {}, make('th', {scope: 'row'}, clock(slot.at)),
    ...series.map(([, value]) => make('td', {class: 'number'}, number(value(slot))))));
  const head = make('tr', {}, make('th', {scope: 'col'}, 'Time'), ...series.map(([name]) => make('th', {scope: 'col', class: 'number'}, name)));
  return make('details', {open: isOpen}, make('summary', {}, 'As a table'), make('div', {class: 'data', tabindex: '0', role: 'group', 'aria-label': 'Numbers of the chart'}, rows.length
    ? make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows)) : make('p', {class: 'soft'}, 'Nothing in this period.')));
}

/** The next round number. */
function ceiling(value) {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].find((each) => each * power >= value) * power;
}

const short = (value) => value >= 1000 ? `${value / 1000}k` : String(value);
const clock = (at) => new Date(at * 1000).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'});
