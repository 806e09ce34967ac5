// How much text the page has, and whether it is still changing.
(() => {
  "use strict";
  const { dom } = dowse;
  // Enough to tell a page with text from one without, on trees of any size.
  const MOST_NODES = 200_000;
  const MEASURE_MS = 250;
  const LOOK_MS = 100;
  // A page that counts seconds or views does not grow.
  const GROWTH = 20;
  const LITTLE_CHARS = 1500;
  const SLACK_PX = 50;
  // The browser describes elements with their names and attributes, which are the page's to choose.
  const LONGEST_DESCRIPTION = 10_000;
  // A long page is scrolled through in so many steps and so much time, and then to its end at once.
  const MOST_STEPS = 30;
  const STEPS_MS = 1000;
  // Where nothing is drawn.
  const FRAME_MS = 50;
  // What leads around, and is there before the text that it leads to.
  const AROUND = new Set(["a", "nav", "header", "footer", "button"]);
  const SILENT = new Set(["script", "style", "noscript", "template", "svg", "canvas", "textarea", "select"]);
  const WAITING =
    /\b(?:loading|please wait|(?:just )?(?:a|one) moment|wird geladen|bitte warten|chargement|patientez|cargando|espere|caricamento|carregando|aguarde|laden)\b|загрузка|読み込み中|加载中|載入中/i;

  let changedAt = performance.now();
  const observer = new MutationObserver(() => {
    changedAt = performance.now();
  });
  const observed = new Set();
  const observe = (root) => {
    if (observed.has(root)) return;
    observed.add(root);
    observer.observe(root, { childList: true, characterData: true, subtree: true });
  };
  observe(document);

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const frame = () => Promise.race([pause(FRAME_MS), new Promise((resolve) => requestAnimationFrame(resolve))]);

  const isBrief = (element) => {
    let chars = dom.localName(element).length;
    for (const { name, value } of dom.attributes(element)) chars += name.length + value.length;
    return chars < LONGEST_DESCRIPTION;
  };

  /**
   * The characters a reader could see, blanks apart; those besides links and the like, and their beginning; and custom
   * elements that look empty.
   */
  const measure = (dowse.measure = () => {
    let chars = 0;
    let ownChars = 0;
    let nodes = 0;
    let beginning = "";
    const hollow = [];
    const stack = [{ node: dom.root(document), isAround: false }];
    while (stack.length && nodes < MOST_NODES) {
      let { node, isAround } = stack.pop();
      if (!node) continue;
      nodes += 1;
      const type = dom.nodeType(node);
      if (type === Node.TEXT_NODE) {
        const text = dom.text(node).trim();
        chars += text.length;
        if (isAround) continue;
        ownChars += text.length;
        if (beginning.length < LITTLE_CHARS) beginning += ` ${text.slice(0, LITTLE_CHARS)}`;
        continue;
      }
      if (type === Node.ELEMENT_NODE) {
        const name = dom.localName(node);
        if (SILENT.has(name)) continue;
        isAround ||= AROUND.has(name);
        const inside = dom.shadow(node) ?? dom.contentDocument(node);
        if (inside) {
          observe(inside);
          stack.push({ node: inside, isAround });
        } else if (name.includes("-") && !dom.firstChild(node) && isBrief(node)) {
          hollow.push(node);
        }
      }
      for (let child = dom.lastChild(node); child; child = dom.previousSibling(child)) stack.push({ node: child, isAround });
    }
    return { chars, ownChars, beginning, hollow };
  });

  const height = () => dom.root(document)?.scrollHeight ?? 0;
  const isBusy = () => dom.queryIn(document, '[aria-busy="true"]').length > 0;

  dowse.ready = () =>
    new Promise((resolve) => {
      if (dom.readyState(document) !== "loading") resolve(true);
      else dom.listen(document, "DOMContentLoaded", () => resolve(true), { once: true });
    });

  /** Resolves when nothing has changed for `quietMs`, or when the text has not grown for `stalledMs`. */
  dowse.still = async (quietMs, stalledMs) => {
    let most = measure().chars;
    let grownAt = performance.now();
    for (;;) {
      const now = performance.now();
      const quietIn = changedAt + quietMs - now;
      if (quietIn <= 0 || now - grownAt >= stalledMs) return true;
      await pause(Math.max(1, Math.min(quietIn, MEASURE_MS)));
      if (changedAt <= now) continue;
      const { chars } = measure();
      if (chars > most + GROWTH) grownAt = performance.now();
      most = Math.max(most, chars);
    }
  };

  /** Whether anything changes within the time, from now on or from a moment before. */
  dowse.changes = async (ms, since = performance.now()) => {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      await pause(Math.min(LOOK_MS, end - performance.now()));
      if (changedAt >= since) return true;
    }
    return false;
  };

  /** What Python asks about a page that has come to rest. */
  dowse.look = (fewChars) => {
    const { chars, ownChars, beginning } = measure();
    const isWaiting = ownChars < LITTLE_CHARS && (WAITING.test(beginning) || isBusy());
    const hasScripts = dom.scripts(document).length > 0;
    return {
      chars,
      hasScripts,
      isBare: hasScripts && (ownChars < fewChars || isWaiting),
      isTall: height() > innerHeight + SLACK_PX,
    };
  };

  dowse.hollow = (most) => measure().hollow.slice(0, most);
  dowse.countHollow = () => measure().hollow.length;

  const scrollToHeight = (top) => scrollTo({ top, behavior: "instant" });

  /** Go to the end by way of what is in between; resolves to whether that changes anything. */
  dowse.scrollOn = async (ms) => {
    const since = performance.now();
    const end = height();
    let top = scrollY + innerHeight;
    for (let step = 0; step < MOST_STEPS && top < end && performance.now() < since + STEPS_MS; step += 1) {
      scrollToHeight(top);
      await frame();
      await frame();
      top += innerHeight;
    }
    scrollToHeight(end);
    return dowse.changes(ms, since);
  };

  /** Go back to the beginning; resolves to whether that changes anything. */
  dowse.scrollBack = (ms) => {
    const since = performance.now();
    scrollToHeight(0);
    return dowse.changes(ms, since);
  };
})();
