import {ask, badge, find, make, number} from './common.js';
import {bars, lines} from './charts.js';

const RETRY_MS = 3000;
let latest = null;

for (const radio of document.querySelectorAll('input[name=period]')) radio.addEventListener('change', () => latest && show(latest));

/** Watch the statistics for as long as the page is open; a connection that ends is made again. */
async function watch() {
  for (;;) {
    try {
      await ask('/stats', {streams: true, on: (name, data) => { if (name === 'stats') { live('Live', true); show(latest = data); } }});
      live('Connecting again…');
    } catch (error) {
      live(error.problem ? error.message : 'The server cannot be reached. Trying again…');
    }
    await new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
  }
}

function live(text, isOn = false) {
  if (find('live').textContent !== text) find('live').textContent = text;
  find('live').classList.toggle('on', isOn);
}

function show(stats) {
  const name = document.querySelector('input[name=period]:checked').value;
  const period = stats[name];
  showTiles(period, stats.breakers);
  const slots = everySlot(period, stats.at);
  bars(find('calls-chart'), slots, [['answered', (slot) => slot.calls - slot.errors, 'good'], ['failed', (slot) => slot.errors, 'bad']]);
  lines(find('latency-chart'), slots, [['median', (slot) => slot.p50_ms, 'line'], ['95th percentile', (slot) => slot.p95_ms, 'line2']]);
  showProviders(period, stats.breakers);
  rows('callers', period.callers, (each) => [each.name, number(each.calls), number(each.errors)]);
  rows('doors', period.doors, (each) => [each.name, each.tool, number(each.calls), number(each.errors)]);
}

function everySlot(period, at) {
  const known = new Map(period.slots.map((slot) => [slot.at, slot]));
  const slots = [];
  for (let start = period.since; start <= at; start += period.slot_s) {
    slots.push(known.get(start) || {at: start, calls: 0, errors: 0, p50_ms: 0, p95_ms: 0});
  }
  return slots;
}

function showTiles(period, breakers) {
  const open = breakers.filter((each) => each.state !== 'closed');
  const tiles = [
    ['Calls', number(period.calls), period.errors ? `${number(period.errors)} failed` : 'none failed'],
    ['Answered', share(period.calls - period.errors, period.calls), 'of all calls', period.errors > period.calls / 10],
    ['Median', time(period.p50_ms), `95 % within ${time(period.p95_ms)}`],
    ['From the cache', share(period.cache_hits, period.cache_lookups), `${number(period.cache_lookups)} lookups`],
    ['Pages read', number(period.pages - period.pages_failed), period.pages_failed ? `${number(period.pages_failed)} could not be` : 'all that were tried'],
    ['Spent', money(period.usd), 'estimated'],
    ['Breakers open', number(open.length), open.map((each) => each.name).join(', ') || 'all providers are asked', open.length > 0],
  ];
  find('tiles').replaceChildren(...tiles.map(([title, value, about, isBad]) => make('dl', {class: isBad ? 'tile bad' : 'tile'},
    make('dt', {}, title), make('dd', {}, value, make('small', {}, about)))));
}

function showProviders(period, breakers) {
  const states = new Map(breakers.map((each) => [`${each.name} ${each.operation}`, each.state]));
  const body = find('providers').tBodies[0];
  const found = period.providers.map((each) => {
    const state = states.get(`${each.name} ${each.operation}`) || 'closed';
    const meter = make('i', {'aria-hidden': 'true'}, make('b'));
    meter.firstChild.style.width = `${100 * each.ok / each.tries}%`;
    const failures = Object.entries(each.failures).map(([code, n]) => `${code.replaceAll('_', ' ')} ${number(n)}`).join(', ');
    return make('tr', {}, make('th', {scope: 'row'}, each.name), make('td', {}, each.operation),
      make('td', {}, badge(state, state === 'closed' ? 'good' : state === 'open' ? 'bad' : 'warn')),
      make('td', {class: 'number'}, number(each.tries)),
      make('td', {}, make('div', {class: 'meter'}, meter, share(each.ok, each.tries))),
      make('td', {}, failures || '–'), make('td', {class: 'number'}, each.usd ? money(each.usd) : '–'));
  });
  body.replaceChildren(...(found.length ? found : [nothing(7)]));
}

function rows(id, items, cells) {
  const found = items.map((item) => {
    const [first, ...others] = cells(item);
    return make('tr', {}, make('th', {scope: 'row'}, first), ...others.map((text) => make('td', {class: /^[\d,]+$/.test(text) ? 'number' : ''}, text)));
  });
  const table = find(id);
  table.tBodies[0].replaceChildren(...(found.length ? found : [nothing(table.tHead.rows[0].cells.length)]));
}

function nothing(columns) {
  return make('tr', {}, make('td', {colspan: columns, class: 'soft'}, 'Nothing in this period.'));
}

const share = (part, whole) => whole ? `${Math.round(100 * part / whole)} %` : '–';
const money = (usd) => `$${usd.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: usd < 1 ? 4 : 2})}`;
const time = (ms) => ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : ms ? `${ms} ms` : '–';

watch();
