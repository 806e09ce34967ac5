// Shared by the pages. Text of the web becomes text nodes, never markup: nothing here writes HTML.
const API = '/api/v1';

export const find = (id) => document.getElementById(id);

/** Make an element: properties that name attributes, and children that are elements or text. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}

/** A link, if the address is one of the web; else its text alone. */
export function link(address, text = address) {
  let url;
  try { url = new URL(address); } catch { return make('span', {}, text); }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return make('span', {}, text);
  return make('a', {href: url.href, rel: 'noreferrer noopener', target: '_blank'}, text);
}

export const count = (n, one, many) => `${number(n)} ${n === 1 ? one : many}`;
export const number = (n) => Number(n).toLocaleString('en');
export const host = (address) => { try { return new URL(address).host; } catch { return address; } };

/** A request to the REST API of this server; an error has the sentence of the server. */
export async function ask(path, {body, signal, streams = false, on} = {}) {
  const headers = {'X-Dowse-Console': '1', Accept: streams ? 'text/event-stream' : 'application/json'};
  if (body) headers['Content-Type'] = 'application/json';
  const reply = await fetch(API + path, {
    method: body ? 'POST' : 'GET', headers, signal, body: body && JSON.stringify(body), cache: 'no-store', redirect: 'error',
  });
  if (reply.status === 401) location.assign('/console/login');
  if (!reply.ok) throw await failure(reply);
  const isStream = (reply.headers.get('Content-Type') || '').startsWith('text/event-stream');
  return isStream ? readEvents(reply.body, on) : reply.json();
}

async function failure(reply) {
  let problem = {};
  try { problem = await reply.json(); } catch { /* not of ours: the status has to do */ }
  const error = new Error(problem.detail || problem.error || `The server answered with ${reply.status}.`);
  error.problem = problem;
  return error;
}

/** Server-sent events of a response, each handed to `on`; returns the data of `result`, throws that of `error`. */
async function readEvents(stream, on) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return undefined;
    waiting += value;
    const blocks = waiting.split('\n\n');
    waiting = blocks.pop();
    for (const block of blocks) {
      const line = block.indexOf('\n');
      const name = block.slice('event: '.length, line);
      const data = JSON.parse(block.slice(line + 1 + 'data: '.length));
      if (name === 'result') return data;
      if (name === 'error') throw Object.assign(new Error(data.detail), {problem: data});
      on(name, data);
    }
  }
}

/** Copy a text, also where the page has no right to the clipboard. */
export async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make('textarea', {class: 'sr', 'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  const before = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = before; }, 1500);
}

export function code(text, label) {
  const button = make('button', {type: 'button', class: 'copy quiet', 'aria-label': `Copy ${label}`}, 'Copy');
  button.addEventListener('click', () => copy(button, text));
  return make('div', {class: 'code'}, button, make('pre', {tabindex: '0', 'aria-label': label}, text));
}

export function badge(text, kind) {
  return make('span', {class: `badge ${kind}`}, text);
}
