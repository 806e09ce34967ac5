import {ask, badge, copy, find, make} from './common.js';

const KINDS = {ok: 'good', warning: 'warn', problem: 'bad'};

for (const button of document.querySelectorAll('.code .copy')) {
  const name = button.closest('details').querySelector('.name').textContent;
  button.setAttribute('aria-label', `Copy the lines for ${name}`);
  button.addEventListener('click', () => copy(button, button.parentElement.querySelector('pre').textContent));
}

async function showHealth() {
  const checks = find('checks');
  try {
    const found = await ask('/doctor');
    const groups = Map.groupBy ? Map.groupBy(found.checks, (each) => each.group) : groupsOf(found.checks);
    checks.replaceChildren(...[...groups].map(([name, each]) => group(name, each)));
    find('verdict').textContent = found.ok ? 'All is well.' : 'Something needs your attention.';
  } catch (error) {
    checks.replaceChildren(make('p', {class: 'problem'}, error.message));
    find('verdict').textContent = '';
  }
  checks.setAttribute('aria-busy', 'false');
}

function groupsOf(checks) {
  const groups = new Map();
  for (const each of checks) groups.set(each.group, [...(groups.get(each.group) || []), each]);
  return groups;
}

/** The findings of a group; what is merely not in use is folded away. */
function group(name, checks) {
  const [used, unused] = [checks.filter((each) => each.state !== 'off'), checks.filter((each) => each.state === 'off')];
  return make('div', {class: 'group'}, make('h3', {}, name), ...used.map(row),
    unused.length ? make('details', {class: 'rest'}, make('summary', {}, `${unused.length} not in use`), ...unused.map(row)) : '');
}

function row(check) {
  return make('div', {class: 'checkrow'}, make('div', {}, badge(check.state, KINDS[check.state] || '')),
    make('div', {}, make('p', {}, make('strong', {}, check.name), ` ${check.summary}`), check.fix ? make('p', {class: 'fix'}, check.fix) : ''));
}

async function showProviders() {
  const {providers} = await ask('/providers');
  const [used, unused] = [providers.filter((each) => each.active), providers.filter((each) => !each.active)];
  fillTable('providers', used.length ? used : unused);
  fillTable('unused', used.length ? unused : []);
  find('unused').closest('details').hidden = !used.length;
  find('unused').closest('details').firstElementChild.textContent = `${unused.length} not in use`;
}

function fillTable(id, providers) {
  find(id).tBodies[0].replaceChildren(...providers.map((each) => make('tr', {},
    make('th', {scope: 'row'}, each.place ? `${each.place}. ${each.name}` : each.name),
    make('td', {}, each.operations.join(', ')),
    make('td', {}, badge(each.active ? 'active' : 'off', each.active ? 'good' : ''), ' ', each.active ? '' : make('span', {class: 'soft'}, each.reason)),
    make('td', {class: 'number'}, each.budget_used === undefined ? '–' : `${Math.round(100 * each.budget_used)} %`))));
}

showHealth();
showProviders().catch((error) => { find('verdict').textContent = error.message; });
