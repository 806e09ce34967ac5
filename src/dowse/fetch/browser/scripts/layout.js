// Layout of a page: rectangles, clips, layers, and what can be scrolled into view.
(() => {
  "use strict";
  const { dom } = dowse;
  // No text is read in a box thinner than this.
  const THIN_PX = 4;
  // A page is scrolled sideways, but not so many windows.
  const WIDE = 3;
  const ROW_PX = 100;
  const MOST_ROWS = 50;
  const MOST_IN_ROW = 50;
  const MOST_CONTROLS = 2000;
  const MOST_ANIMATIONS = 2000;
  // An animation that ends within this time is judged by its end.
  const SOON_MS = 10_000;
  const MOST_RULES = 20_000;
  const MOST_SHOWING = 200;
  const LONGEST_SELECTOR = 300;
  const STATE = /(?<=[\w\])*]):(?:hover|focus-within|focus|checked|target)(?![\w-])/g;
  const SHOWS = /^(?!none$|hidden$|0(?:px)?$).+/;
  const CONTROLLING = '[aria-controls], [data-target], [data-bs-target], a[href^="#"]';

  const intersect = (one, other) => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
    owner: other.owner ?? one.owner,
  });
  const isThin = (rect, px) => rect.right - rect.left < px || rect.bottom - rect.top < px;
  const holds = (rect, x, y) => rect.left <= x && x <= rect.right && rect.top <= y && y <= rect.bottom;

  /** Lengths of a computed shape in pixels; a percentage is of the size at its place, anything else is NaN. */
  const lengths = (text, sizes) =>
    text.split(/[\s,]+/).filter(Boolean).map((each, at) => {
      const number = parseFloat(each);
      return each.endsWith("%") ? (number / 100) * sizes[at % sizes.length] : /^-?[\d.]+(?:px)?$/.test(each) ? number : NaN;
    });

  const sides = (given, rect) => {
    const [top, right = top, bottom = top, left = right] = given;
    return { left: rect.left + left, top: rect.top + top, right: rect.right - right, bottom: rect.bottom - bottom };
  };
  const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };
  const bound = (points, rect) => {
    const [xs, ys] = [0, 1].map((odd) => points.filter((_, at) => at % 2 === odd));
    return {
      left: rect.left + Math.min(...xs), right: rect.left + Math.max(...xs),
      top: rect.top + Math.min(...ys), bottom: rect.top + Math.max(...ys),
    };
  };
  const areaOf = (points) => {
    let twice = 0;
    for (let at = 0; at < points.length; at += 2) {
      const [x, y, nextX, nextY] = [0, 1, 2, 3].map((more) => points[(at + more) % points.length]);
      twice += x * nextY - nextX * y;
    }
    return Math.abs(twice) / 2;
  };
  const SHAPES = {
    inset: (text, rect) => sides(lengths(text.split(" round ")[0], [rect.height, rect.width]), rect),
    circle: (text) => (lengths(text.split("at ")[0], [1e3]).some((radius) => radius < THIN_PX / 2) ? NOTHING : null),
    ellipse: (text) => (lengths(text.split("at ")[0], [1e3]).some((radius) => radius < THIN_PX / 2) ? NOTHING : null),
    polygon: (text, rect) => {
      const points = lengths(text.replace(/^(?:evenodd|nonzero),/, ""), [rect.width, rect.height]);
      return areaOf(points) < THIN_PX * THIN_PX ? NOTHING : bound(points, rect);
    },
    path: (text, rect) => (/[^MLZmlz\d\s.,"-]/.test(text) ? null : bound((text.match(/-?[\d.]+/g) ?? [0, 0]).map(Number), rect)),
    xywh: (text, rect) => {
      const [, , ...size] = lengths(text.split(" round ")[0], [rect.width, rect.height]);
      return size.some((side) => side < THIN_PX) ? NOTHING : null;
    },
    url: (text, rect, view) => {
      if (!view.drawings.has(text)) {
        const [drawing] = dom.queryIn(view.document, `clipPath[id=${CSS.escape(text.replace(/["#]/g, ""))}]`);
        view.drawings.set(text, drawing && !dom.queryInside(drawing, "*") ? NOTHING : null);
      }
      return view.drawings.get(text);
    },
  };
  /** The bounds of `clip-path` or `clip`; null if they are unknown. */
  const boundsOf = ({ element, style, view }, isPlaced) => {
    const rect = dom.rect(element);
    const [, shape, text] = /^(\w+)\(([^()]{0,5000})\)/.exec(style.clipPath) ?? [];
    const bounds = SHAPES[shape]?.(text, rect, view) ?? null;
    if (bounds) return Object.values(bounds).some(Number.isNaN) ? null : bounds;
    if (!isPlaced || style.clip === "auto") return null;
    const [top, right, bottom, left] = style.clip.slice(5, -1).split(/[\s,]+/).map((each) => parseFloat(each));
    const or = (value, usual) => (Number.isNaN(value) ? usual : value);
    return {
      left: rect.left + or(left, 0), top: rect.top + or(top, 0),
      right: rect.left + or(right, rect.width), bottom: rect.top + or(bottom, rect.height),
    };
  };

  /** Above (positive) or below: keys are pairs of z-index and order, one for each layer around. */
  const compare = (one, oneEnd, other, otherEnd) => {
    for (let at = 0; ; at += 1) {
      const a = at < one.length ? one[at] : at % 2 ? 0 : oneEnd;
      const b = at < other.length ? other[at] : at % 2 ? 0 : otherEnd;
      if (a !== b || (at >= one.length && at >= other.length)) return a - b;
    }
  };
  const TEXT = -0.5; // in its layer above block backgrounds and negative layers, below all other layers
  const FLOW = -0.7;

  /** Painters by the rows of the page that they are in, so that a text is compared with few of them. */
  class Rows {
    constructor(painters) {
      this.rows = new Map();
      this.tall = [];
      painters.forEach((painter) => this.add(painter));
    }

    add(painter) {
      const [first, last] = [painter.rect.top, painter.rect.bottom].map((y) => Math.floor(y / ROW_PX));
      if (last - first > MOST_ROWS) {
        if (this.tall.length < MOST_IN_ROW) this.tall.push(painter);
        return;
      }
      for (let row = first; row <= last; row += 1) {
        if (!this.rows.has(row)) this.rows.set(row, []);
        if (this.rows.get(row).length < MOST_IN_ROW) this.rows.get(row).push(painter);
      }
    }

    at(rect) {
      return [...(this.rows.get(Math.floor(rect.top / ROW_PX)) ?? []), ...this.tall];
    }
  }

  /** Bring animations to their end: text fades in or out. */
  const finish = (animations) => {
    for (const animation of animations.slice(0, MOST_ANIMATIONS)) {
      const end = animation.effect?.getComputedTiming().endTime ?? Infinity;
      if (animation.playState !== "running" || !(end - (animation.currentTime ?? 0) <= SOON_MS)) continue;
      try {
        animation.finish();
      } catch {
        continue; // it has no end
      }
    }
  };

  /** Selectors of rules that show an element in another state, without that state. */
  const findShowing = (document) => {
    const found = new Set();
    const pending = [...document.styleSheets];
    for (let at = 0; at < MOST_RULES && pending.length; at += 1) {
      const rule = pending.pop();
      let inner = [];
      try {
        inner = rule.cssRules ?? [];
      } catch {
        continue; // of another origin
      }
      pending.push(...[...inner].slice(0, MOST_RULES));
      const { style, selectorText: selectors = "" } = rule;
      if (!style || selectors.search(STATE) < 0 || selectors.length > LONGEST_SELECTOR) continue;
      const shows = [style.display, style.visibility, style.opacity, style.maxHeight, style.height].some((each) => SHOWS.test(each));
      const bare = selectors.replace(STATE, "");
      if (shows && CSS.supports(`selector(:is(${bare}))`) && found.size < MOST_SHOWING) found.add(bare);
    }
    return [...found];
  };

  /** One document: what can be scrolled into view, and what is painted where. */
  class View {
    constructor(document, frame = null) {
      this.document = document;
      this.root = dom.root(document);
      this.body = dom.body(document);
      this.isTop = !frame;
      this.window = dom.window(document);
      this.painted = [];
      this.raised = [];
      this.texts = [];
      this.drawings = new Map();
      finish(dom.animations(document));
      this.reach = this.measure(frame);
    }

    measure(frame) {
      const { innerWidth: width, innerHeight: height, scrollX, scrollY } = this.window;
      const [root, body] = [this.root, this.body].map((each) => each && getComputedStyle(each));
      const own = root.overflowX === "visible" && body ? body.overflowX : root.overflowX;
      const isFixed = frame && (dom.getAttribute(frame, "scrolling") ?? "").toLowerCase() === "no";
      const isCut = isFixed || own === "hidden" || own === "clip";
      const scrolled = Math.max(width, dom.scrollWidth(this.root), this.body ? dom.scrollWidth(this.body) : 0);
      const whole = isCut ? width : Math.min(scrolled, WIDE * width);
      const isRtl = root.direction === "rtl";
      const left = (isRtl ? width - whole : 0) - scrollX;
      return { left, top: -scrollY, right: left + whole, bottom: isFixed ? height : Infinity, owner: null };
    }

    /** Elements that a visible control opens, by their identifiers. */
    get controlled() {
      this.ids ??= new Set([...dom.queryIn(this.document, CONTROLLING)].slice(0, MOST_CONTROLS).flatMap((each) => this.named(each)));
      return this.ids;
    }

    /** Whether a rule of the page shows an element under the pointer, or when something before it is checked. */
    isShownByRule(element) {
      this.showing ??= findShowing(this.document);
      return this.showing.some((selector) => dom.matches(element, selector));
    }

    named(control) {
      const names = ["aria-controls", "data-target", "data-bs-target", "href"].map((name) => dom.getAttribute(control, name) ?? "");
      return this.isUsable(control) ? names.flatMap((each) => each.split(" ")).map((each) => each.replace(/^#/, "")) : [];
    }

    isUsable(element) {
      if (!dom.checkVisibility(element, { opacityProperty: true, visibilityProperty: true })) return false;
      return !isThin(intersect(this.reach, dom.rect(element)), THIN_PX);
    }
  }

  dowse.layout = { THIN_PX, TEXT, FLOW, intersect, isThin, holds, boundsOf, compare, finish, Rows, View };
})();
