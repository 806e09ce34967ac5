import {ask, badge, code, count, find, host, link, make, number} from './common.js';
import {calls} from './calls.js';
import {Race} from './race.js';

const VIEWS = {search: showSearch, read: showRead, answer: showAnswer, rerank: showRerank};
const NOT_SENT = '';
let running = null;

for (const radio of document.querySelectorAll('input[name=mode]')) radio.addEventListener('change', () => choose(radio.value));
for (const form of document.querySelectorAll('form.call')) {
  form.addEventListener('submit', (event) => { event.preventDefault(); run(form); });
}
const tabs = [...document.querySelectorAll('[role=tab]')];
tabs.forEach((tab, place) => {
  tab.addEventListener('click', () => open(tab));
  tab.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    open(next);
    next.focus();
  });
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  document.querySelector('form.call:not([hidden]) .line input').focus();
});

function choose(mode) {
  for (const form of document.querySelectorAll('form.call')) form.hidden = form.dataset.mode !== mode;
}

function open(chosen) {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute('aria-selected', isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    find(tab.getAttribute('aria-controls')).hidden = !isChosen;
  }
}

/** The arguments of a form that differ from their defaults. */
function argumentsOf(form) {
  const given = {};
  for (const field of form.querySelectorAll('[data-kind]')) {
    const value = valueOf(field);
    if (value !== NOT_SENT) given[field.name] = value;
  }
  return given;
}

function valueOf(field) {
  const {kind, lines} = field.dataset;
  if (kind === 'boolean') return String(field.checked) === field.dataset.default ? NOT_SENT : field.checked;
  const text = field.value.trim();
  if (text === '' || text === field.dataset.default) return NOT_SENT;
  if (kind === 'integer' || kind === 'number') return Number(text);
  if (kind === 'array') return text.split(lines ? '\n' : /[\s,]+/).map((each) => each.trim()).filter(Boolean);
  return text;
}

async function run(form) {
  running?.abort();
  const stop = running = new AbortController();
  const {mode, tool} = form.dataset;
  const given = argumentsOf(form);
  const race = new Race(find('race'), find('race-sum'));
  const button = form.querySelector('.primary');
  begin(button);
  try {
    const shown = new Map();
    const found = await ask(`/${mode}`, {
      body: {...given, model_text: true}, signal: stop.signal, streams: true,
      on: (name, data) => hear(name, data, race, shown),
    });
    race.end(found);
    VIEWS[mode](found, given);
    showModel(found);
    find('call').replaceChildren(...calls(mode, tool, given, find('ask').dataset.origin));
    say(`Done in ${number(race.totalMs())} ms.`);
  } catch (error) {
    if (stop.signal.aborted) return;
    race.end(error.problem || {});
    find('problem').textContent = error.message;
    find('problem').hidden = false;
    find('found').hidden = race.isEmpty();
    for (const each of ['results', 'model', 'call']) find(each).replaceChildren();
    say('');
  } finally {
    if (running === stop) button.disabled = false;
  }
}

function begin(button) {
  for (const each of document.querySelectorAll('.primary')) each.disabled = false;
  button.disabled = true;
  for (const each of ['results', 'model', 'call']) find(each).replaceChildren();
  for (const each of ['results-count', 'model-count']) find(each).textContent = '';
  find('problem').hidden = true;
  find('empty').hidden = true;
  find('found').hidden = false;
  open(tabs[0]);
  say('Asking…', true);
}

function say(text, isBusy = false) {
  find('status').textContent = text;
  find('status').classList.toggle('busy', isBusy);
}

function hear(name, data, race, shown) {
  if (name === 'progress') { say(`${data.step}…`, true); race.step(data.step); }
  if (name === 'attempts') race.attempts(data.attempts);
  if (name === 'hits') {
    find('results-count').textContent = data.hits.length;
    for (const hit of data.hits) {
      shown.set(hit.link, preview(hit));
      find('results').append(shown.get(hit.link));
    }
  }
  if (name === 'page') {
    race.page(data);
    shown.get(data.link)?.querySelector('header').append(status(data.status));
  }
}

function preview(hit) {
  return make('article', {class: 'result'}, make('header', {}, make('h3', {}, link(hit.link, hit.title || hit.link))),
    make('p', {class: 'facts'}, host(hit.link)), make('p', {class: 'snippet'}, hit.snippet));
}

function status(value) {
  const kind = value === 'ok' ? 'good' : value === 'truncated' ? 'good' : value === 'not_fetched' ? '' : 'bad';
  return badge(value === 'truncated' ? 'passages' : value.replace('_', ' '), kind);
}

function notes(warnings) {
  return (warnings || []).map((each) => make('p', {class: 'note'}, each));
}

function showSearch(found) {
  find('results-count').textContent = found.results.length;
  const tokens = found.results.reduce((sum, each) => sum + (each.total_tokens || 0), 0);
  const facts = [`${found.engine} answered`, `cache: ${found.cache}`, `${found.stats.pages_read} pages read`];
  if (tokens && found.model_tokens) facts.push(`${number(found.model_tokens)} of ${number(tokens)} tokens of the whole pages`);
  find('results').replaceChildren(...notes(found.warnings), make('p', {class: 'facts'}, ...spans(facts)),
    ...found.results.map(showResult));
}

function spans(texts) {
  return texts.filter(Boolean).map((text) => make('span', {}, text));
}

function showResult(result) {
  const facts = [
    result.published && `published ${result.published.slice(0, 10)}`, result.modified && `changed ${result.modified.slice(0, 10)}`,
    `${number(result.word_count)} words`, result.total_tokens && `whole page ${number(result.total_tokens)} tokens`,
    result.blocks && `blocks ${result.blocks}`, `cache: ${result.cache}`, result.found_by && `found by ${result.found_by.join(', ')}`,
  ];
  return make('article', {class: 'result'},
    make('header', {}, make('h3', {}, link(result.link, result.title || result.link)), status(result.status)),
    make('p', {class: 'facts'}, make('span', {}, host(result.link)), ...spans(facts)),
    ...notes(result.warnings),
    result.snippet ? make('p', {class: 'snippet'}, result.snippet) : '',
    result.page_content ? passages(result.page_content) : '');
}

/** The text of a page; the places where text is left out are marked. */
function passages(text) {
  const parts = text.split('[…]');
  const children = parts.flatMap((part, place) => place ? [make('span', {class: 'gap', title: 'Left out'}, '[…]'), part] : [part]);
  return make('div', {class: 'passages', tabindex: '0', role: 'group', 'aria-label': 'Text of the page'}, ...children);
}

function showRead(found) {
  const pages = found.results || [found];
  find('results-count').textContent = pages.length;
  find('results').replaceChildren(...notes(found.warnings), ...pages.map((page) => make('article', {class: 'result'},
    make('header', {}, make('h3', {}, link(page.final_url || page.url, page.title || page.url)), status(page.status)),
    make('p', {class: 'facts'}, make('span', {}, host(page.final_url || page.url)), ...spans([
      page.engine && `read by ${page.engine}`, page.published && `published ${page.published.slice(0, 10)}`, page.author,
      `${number(page.total_tokens)} tokens`, `cache: ${page.cache}`, page.next_cursor && 'more with next_cursor'])),
    passages(page.page_content))));
}

/** An answer with its citations: each jumps to the part of the text that it supports, and back. */
function showAnswer(found) {
  find('results-count').textContent = '';
  const cited = [...found.citations].sort((one, other) => one.startIndex - other.startIndex);
  const letters = [...found.text];
  const parts = [];
  let at = 0;
  cited.forEach((each, place) => {
    if (each.startIndex < at) return;
    parts.push(letters.slice(at, each.startIndex).join(''));
    const mark = make('mark', {id: `said-${place}`}, letters.slice(each.startIndex, each.endIndex).join(''));
    parts.push(mark, make('a', {href: `#source-${place}`, 'aria-label': `Source ${place + 1}`}, ` [${place + 1}]`));
    at = each.endIndex;
  });
  parts.push(letters.slice(at).join(''));
  const sources = cited.map((each, place) => make('article', {class: 'result quote', id: `source-${place}`},
    make('header', {}, make('h3', {}, `${place + 1}. `, link(each.url, each.title || each.url)),
      make('a', {href: `#said-${place}`}, 'In the answer')),
    make('p', {class: 'facts'}, host(each.url)), make('p', {class: 'snippet'}, each.textSnippet)));
  find('results').replaceChildren(...notes(found.warnings),
    make('article', {class: 'result'}, make('div', {class: 'passages'}, ...parts),
      make('p', {class: 'facts'}, ...spans([`by ${found.provider}`, `cache: ${found.cache}`]))), ...sources);
}

function showRerank(found, given) {
  find('results-count').textContent = found.results.length;
  find('results').replaceChildren(...notes(found.warnings), ...found.results.map((each) => make('article', {class: 'result'},
    make('header', {}, make('p', {class: 'snippet'}, given.documents[each.index]), badge(each.relevance_score.toFixed(3), 'good')))));
}

function showModel(found) {
  const text = found.model_text || '';
  find('model-count').textContent = count(found.model_tokens || 0, 'token', 'tokens');
  find('model').replaceChildren(make('div', {class: 'text-head'},
    make('p', {class: 'soft'}, 'The text of the MCP answer, as it is. The marker around pages differs from call to call.'),
    badge(count(found.model_tokens || 0, 'token', 'tokens'), 'good')), code(text, 'the text for the model'));
}
