import {code, make} from './common.js';

const MAIN = {search: 'query', read: 'url', answer: 'question', rerank: 'query'};

/** The same call for MCP, REST, curl and Python, each ready to copy. */
export function calls(mode, tool, given, origin) {
  const json = JSON.stringify(given, null, 2);
  const shown = [
    ['curl', `curl -sS ${origin}/api/v1/${mode} \\\n  -H "Authorization: Bearer $DOWSE_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(given))}`],
    ['Python', python(mode, given, origin)],
    ['REST', `POST /api/v1/${mode} HTTP/1.1\nHost: ${new URL(origin).host}\nContent-Type: application/json\n\n${json}`],
  ];
  if (mode !== 'rerank') {
    const message = {jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: tool, arguments: given}};
    shown.unshift(['MCP', JSON.stringify(message, null, 2)]);
  }
  const note = make('p', {class: 'soft'}, 'DOWSE_TOKEN holds your token; without tokens, leave it out.');
  return [make('div', {class: 'snippets'}, note, ...shown.flatMap(([name, text]) => [make('h3', {}, name), code(text, `the call for ${name}`)]))];
}

/** A text in single quotes for a POSIX shell. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function python(mode, given, origin) {
  const {[MAIN[mode]]: main, ...others} = given;
  const named = Object.entries(others).map(([name, value]) => `${name}=${literal(value)}`);
  const parts = [literal(main), ...named].join(', ');
  return `import os\n\nfrom dowse import Client\n\nwith Client(base_url=${literal(origin)}, token=os.environ.get("DOWSE_TOKEN", "")) as dowse:\n    print(dowse.${mode}(${parts}))`;
}

function literal(value) {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return JSON.stringify(value);
}
