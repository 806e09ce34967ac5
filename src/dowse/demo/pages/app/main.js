// Fetches an article and builds it a moment later, as frameworks do.
const element = (name, text) => {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
};

const table = (rows) => {
  const made = document.createElement("table");
  rows.forEach((cells, index) => {
    const row = made.insertRow();
    row.append(...cells.map((cell) => element(index ? "td" : "th", cell)));
  });
  return made;
};

const section = ({ heading, text, code, table: rows, link }) => {
  const made = document.createElement("section");
  made.append(element("h2", heading), element("p", text));
  if (code) {
    const block = document.createElement("pre");
    block.append(Object.assign(element("code", code), { className: "language-python" }));
    made.append(block);
  }
  if (rows) made.append(table(rows));
  if (link) {
    const line = document.createElement("p");
    line.append(Object.assign(element("a", link[0]), { href: link[1] }));
    made.append(line);
  }
  return made;
};

const render = ({ title, lead, sections }) => {
  const main = document.createElement("main");
  const article = document.createElement("article");
  article.append(element("h1", title), element("p", lead), ...sections.map(section));
  main.append(article);
  document.getElementById("root").replaceChildren(main);
  document.title = `${title} - Tideboard`;
};

const delay = Number(document.currentScript.dataset.delay ?? 30);
fetch("/app/article.json")
  .then((response) => response.json())
  .then((article) => setTimeout(() => render(article), delay));
