import {badge, host, make, number} from './common.js';

/** The timeline of a call: every attempt and every page as a row with its bar. */
export class Race {
  constructor(body, sum) {
    this.body = body;
    this.sum = sum;
    this.rows = [];
    this.began = performance.now();
    this.total = 0;
    this.searched = 0;
    this.show();
  }

  isEmpty() { return this.rows.length === 0; }

  totalMs() { return this.total || Math.round(performance.now() - this.began); }

  /** The providers that are asked just now: one, one more beside a slow one, or several at once. */
  step(text) {
    const asked = /^(\w+): asking (.+?)( as well)?$/.exec(text);
    if (!asked || this.searched) return;
    const at = performance.now() - this.began;
    if (!asked[3]) {
      this.rows = this.rows.map((row) => row.isRunning ? {...row, isRunning: false, ms: at - row.at, outcome: 'not answered'} : row);
    }
    this.rows.push(...asked[2].split(', ').map((name) => ({name, kind: asked[1], outcome: 'asking', at, ms: 0, isRunning: true})));
    this.show();
  }

  /** The attempts of the search as the server counted them, in the place of what was seen so far. */
  attempts(attempts) {
    let at = 0;
    this.rows = attempts.map((each) => {
      const row = {name: each.provider, kind: each.operation, outcome: each.outcome, why: each.detail, at, ms: each.ms};
      at += each.ms;
      return row;
    });
    this.searched = at || performance.now() - this.began;
    this.show();
  }

  page(page) {
    const isCached = page.cache !== 'miss';
    this.rows.push({name: host(page.final_url || page.link), kind: `page, ${page.engine || 'not read'}`, outcome: page.status, at: this.searched,
      ms: page.fetch_time_ms, isPage: true, isCached, why: isCached ? `from the cache, ${page.cache_age_s} s old` : ''});
    this.show();
  }

  end(found) {
    if (found.attempts && !this.searched) this.attempts(found.attempts);
    if (!this.searched && found.cache && found.cache !== 'miss') {
      this.rows = [{name: 'cache', kind: 'answer', outcome: found.cache, at: 0, ms: 1, isCached: true}];
    }
    this.rows = this.rows.map((row) => row.isRunning ? {...row, isRunning: false, outcome: 'ended', ms: performance.now() - this.began - row.at} : row);
    this.total = found.stats?.total_ms || Math.round(performance.now() - this.began);
    this.show();
  }

  show() {
    const longest = Math.max(1, this.total, ...this.rows.map((row) => row.at + row.ms));
    this.body.replaceChildren(...this.rows.map((row) => this.row(row, longest)));
    this.sum.textContent = this.total ? `${number(this.total)} ms in all` : '';
  }

  row(row, longest) {
    const bar = make('i', {class: isGood(row) ? row.isCached ? 'cached' : row.isPage ? 'page' : '' : 'bad'});
    bar.style.left = `${Math.min(99, 100 * row.at / longest)}%`;
    bar.style.width = `${row.isRunning ? 100 - 100 * row.at / longest : 100 * row.ms / longest}%`;
    const name = make('span', {class: 'step', title: row.name}, row.name);
    return make('tr', {}, make('th', {scope: 'row'}, name, make('span', {class: 'kind'}, row.kind)),
      make('td', {}, outcome(row), row.why ? make('span', {class: 'why'}, row.why) : ''),
      make('td', {class: 'lane'}, make('div', {class: 'track', 'aria-hidden': 'true'}, bar)),
      make('td', {class: 'number'}, row.isRunning ? '…' : number(Math.round(row.ms))));
  }
}

function isGood(row) {
  return ['ok', 'truncated', 'asking', 'hit', 'stale', 'not_fetched', 'ended'].includes(row.outcome);
}

function outcome(row) {
  if (['asking', 'skipped'].includes(row.outcome)) return badge(row.outcome, 'warn');
  const text = row.outcome === 'truncated' ? 'ok' : row.outcome.replaceAll('_', ' ');
  return badge(text, isGood(row) ? 'good' : 'bad');
}
