// Visibility of text: computed styles and boxes of its ancestors from the root down, then the box of the text itself.
(() => {
  "use strict";
  const { dom, paint } = dowse;
  const { THIN_PX, TEXT, FLOW, intersect, isThin, holds, boundsOf, compare, Rows, View } = dowse.layout;
  // Elements beyond this number are judged by `checkVisibility` alone, and texts beyond it not at all.
  const MOST_JUDGED = 60_000;
  const MOST_TEXTS = 60_000;
  const MOST_COMPARED = 1_000_000;
  const MOST_RAISED = 5000;
  // Characters of images and shadows, which the browser writes anew for each element; later ones count as none.
  const MOST_WRITTEN = 5_000_000;
  // No text is read in letters smaller than this.
  const SMALL_PX = 3.5;
  // Letters on top of each other: the share of the area that their number and size would need.
  const PILED = 0.06;
  const PILED_CHARS = 4;
  // A stroke that covers letters, and the parts of letters and lines that cannot be read, in sizes of the font.
  const BROAD = 0.25;
  const SLICE = 0.4;
  const FEW_LETTERS = 2;
  const OPAQUE = 0.9;
  const TINTED = 0.1;
  const LEVELS = 12;
  const SAMPLES = 30;
  const CONTROL_LEVELS = 3;
  const DEEPEST_LAYER = 40;
  // A page that fades in, or is shown by a script that failed, is hidden by one element around most of its text.
  const WRAPPED = 0.8;
  const WRAPPED_CHARS = 500;
  // Beside so much other text it is no wrapper, and what is covered or without contrast is not the page.
  const ENOUGH_CHARS = 1000;
  const MOST_HIDERS = 2000;
  const SILENT = new Set(["script", "style", "noscript", "template"]);
  // Text of these is drawn by the browser itself and has no box.
  const FIELDS = new Set(["textarea", "select", "option", "optgroup"]);
  const CONTROLS = "button, summary, [role=button], [aria-expanded], [aria-controls], input[type=checkbox], input[type=radio]";
  // The same names as in dowse.extract.html.tree.hiding.
  const OPENS =
    /tab-?(?:pan|content|item)|accord|collaps|expand|faq|answer|toggle|read-?more|slid|carousel|cloak|anim|fade|reveal|data-(?:aos|w-id)/;
  const OPENS_ASIDE =
    /menu|modal|dialog|popup|popover|overlay|cookie|consent|drawer|(?<![a-z])(?:nav|search|cart|login|share)/;
  // Boxes that show a part of their content at a time.
  const CLIPS_MORE = /swip|slick|splide|glide|owl-|marquee|ticker|scroll|clamp|truncat|ellips|(?<![a-z])more(?![a-z])/;
  const FORMULA = /\b(?:katex-mathml|mjx_assistive_mathml)\b/i;
  const UNCLIPPED = new Set(["inline", "contents", "table-row", "table-cell"]);
  const CONTAINS = /strict|content|paint/;

  /** Attributes as one text, in which the names of widgets are looked for. */
  const describe = (element) => {
    let text = "";
    for (const { name, value } of dom.attributes(element)) {
      if (name !== "style") text += `${name} ${value.slice(0, 1000)} `;
      if (text.length > 5000) break;
    }
    return text.toLowerCase();
  };

  /** Styles of the generated boxes of an element. */
  const pseudos = (element) =>
    ["::before", "::after"]
      .map((name) => getComputedStyle(element, name))
      .filter(({ content, display }) => content !== "none" && content !== "normal" && display !== "none");

  /** Characters of text below an element, blanks apart. */
  const countChars = (element) => {
    let chars = 0;
    const accept = (node) => {
      if (dom.nodeType(node) !== Node.ELEMENT_NODE) return NodeFilter.FILTER_ACCEPT;
      return SILENT.has(dom.localName(node)) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    };
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, accept);
    while (walker.nextNode()) chars += walker.currentNode.data.replace(/\s+/g, "").length;
    return chars;
  };

  /** An element with what its ancestors and itself do to its text. Styles are read once: each reading costs. */
  class Box {
    constructor(parent, element, style) {
      this.element = element;
      this.parent = parent;
      this.style = style;
      this.view = parent.view;
      this.display = style.display;
      this.position = style.position;
      this.transform = style.transform;
      this.filter = style.filter;
      this.clipPath = style.clipPath;
      this.clip = parent.clip;
      this.clipAbs = parent.clipAbs;
      this.clipFixed = parent.clipFixed;
      this.opacity = parent.opacity;
      this.ground = parent.ground;
      this.fallback = parent.fallback;
      this.inks = parent.inks;
      this.tints = parent.tints;
      this.blend = parent.blend;
      this.key = parent.key;
      this.base = parent.base;
      this.hasFloor = parent.hasFloor;
      this.hasHider = parent.hasHider;
      this.isBacked = parent.isBacked;
      this.isFixed = parent.isFixed;
      this.isHidden = parent.isHidden;
      this.isVeiled = parent.isVeiled;
      this.isLoose = parent.isLoose;
      this.isExempt = false;
      this.isClosed = false;
      this.isInked = undefined;
      this.isRendered = undefined;
      this.size = 0;
    }
  }

  class Sight {
    /** `shown` is an element that is shown in spite of its styles. */
    constructor(shown = null) {
      this.shown = shown;
      this.hiders = [];
      this.judged = 0;
      this.compared = 0;
      this.written = 0;
      this.order = 0;
      this.views = [];
      this.range = new Range();
    }

    /** The box of a whole document; `outer` is the box of its frame. */
    open(document, outer = null) {
      const view = new View(document, outer?.element);
      this.views.push(view);
      const isDark = /^(?:only )?dark/.test(getComputedStyle(view.root).colorScheme);
      const { reach } = view;
      const { innerWidth: right, innerHeight: bottom } = view.window;
      const clipFixed = { left: 0, top: 0, right, bottom, owner: null };
      return {
        view, element: null, style: null, parent: outer, display: "block", clip: reach, clipAbs: reach, clipFixed,
        opacity: outer?.opacity ?? 1, ground: outer ? outer.ground : isDark ? [18, 18, 18] : [255, 255, 255],
        inks: [], tints: [], fallback: null,
        blend: "normal", isBacked: Boolean(outer?.isBacked), key: [], base: [], hasFloor: false, hasHider: false, isFixed: false,
        isHidden: false, isVeiled: false, isLoose: false, isExempt: false, isClosed: false,
      };
    }

    /** The box of a frame's body; null if the frame cannot be seen. */
    openFrame(document, box) {
      const rect = intersect(box.clip, dom.rect(box.element));
      if (box.isVeiled || box.isLoose || box.opacity < paint.FAINT || isThin(rect, 2 * THIN_PX)) return null;
      const opened = this.open(document, box);
      box.view.texts.push({ rect: dom.rect(box.element), box, chars: 0, inner: opened.view });
      const root = this.enter(dom.root(document), opened);
      return root.isHidden ? root : this.enter(dom.body(document), root);
    }

    enter(element, parent) {
      if (parent.isExempt) return parent;
      this.judged += 1;
      if (this.judged > MOST_JUDGED) return this.enterRoughly(element, parent);
      const style = getComputedStyle(element);
      const box = new Box(parent, element, style);
      this.order += 1;
      if (this.isFormula(box)) box.isExempt = true;
      else this.judge(box, parent, style);
      if ((box.isHidden || box.isVeiled) && !box.hasHider) {
        box.hasHider = true;
        this.hiders.push(element);
      }
      return box;
    }

    enterRoughly(element, parent) {
      const isShown = parent.isLoose || dom.checkVisibility(element, { opacityProperty: true, visibilityProperty: true });
      const box = new Box(parent, element, getComputedStyle(element));
      box.isHidden = !isShown;
      return box;
    }

    judge(box, parent, style) {
      this.judgeDisplay(box, parent, style);
      if (box.isHidden) return;
      const name = dom.localName(box.element);
      if (box.position !== "static" && dom.matches(box.element, ":modal, :popover-open")) {
        const { reach } = box.view;
        Object.assign(box, { clip: reach, clipAbs: reach, clipFixed: reach, opacity: 1, ground: null });
        box.base = [Infinity, this.order];
        parent = box;
      }
      if (name === "details" && !dom.hasAttribute(box.element, "open")) this.close(box);
      this.judgeEffects(box, style);
      this.judgeClips(box, parent, style);
      this.judgeLayer(box, parent, style);
      this.judgeGround(box, style);
      if (box.position !== "static" && !box.isLoose) this.addPseudos(box);
    }

    judgeDisplay(box, parent, style) {
      const { view, element } = box;
      const isWhole = element === this.shown || (view.isTop && (element === view.root || element === view.body));
      if (parent.isClosed && element !== parent.summary) {
        if (parent.isOpenable) box.isLoose = true;
        else box.isHidden = true;
      }
      if (box.display === "none" || style.contentVisibility === "hidden") {
        if (isWhole || this.opens(element, view)) box.isLoose = true;
        else box.isHidden = true;
      }
      const isVeiled = style.visibility !== "visible";
      if (!isVeiled) box.isVeiled = false;
      else if (!parent.style || parent.style.visibility === "visible") box.isVeiled = !isWhole && !this.opens(element, view);
      if (isVeiled && !box.isVeiled && !isWhole) box.isLoose = true;
      let opacity = parseFloat(style.opacity);
      if (opacity < paint.FAINT && (isWhole || this.opens(element, view))) opacity = 1;
      box.opacity *= opacity;
      if (box.opacity < paint.FAINT) box.isHidden = true;
    }

    /** A closed `details` counts as far as it can be opened. */
    close(box) {
      box.isClosed = true;
      box.summary = null;
      for (let child = dom.firstChild(box.element); child && !box.summary; child = dom.nextSibling(child)) {
        if (dom.nodeType(child) === Node.ELEMENT_NODE && dom.localName(child) === "summary") box.summary = child;
      }
      box.isOpenable = box.isLoose || !box.summary || box.view.isUsable(box.summary);
    }

    judgeEffects(box, style) {
      const { mixBlendMode } = style;
      const maskImage = this.write(style, "maskImage");
      const { filter } = box;
      // Nothing is blended with the window itself.
      if (mixBlendMode !== "normal" && box.isBacked) box.blend = mixBlendMode;
      if (maskImage !== "none") {
        const colours = paint.colours(maskImage);
        const isClear = colours?.every((each) => each[3] < paint.FAINT);
        if (isClear || /\b0px\b/.test(style.maskSize)) box.isHidden = true;
      }
      if (filter === "none") return;
      box.opacity *= parseFloat(/opacity\(([\d.]+)\)/.exec(filter)?.[1] ?? 1);
      if (parseFloat(/blur\(([\d.]+)px\)/.exec(filter)?.[1] ?? 0) >= parseFloat(style.fontSize)) box.isHidden = true;
      if (box.opacity < paint.FAINT) box.isHidden = true;
      if (filter.includes("url(")) box.ground = null;
      const tint = paint.tint(filter);
      if (tint) box.tints = [tint, ...box.tints];
    }

    judgeClips(box, parent, style) {
      const { transform, element, view } = box;
      const { overflow } = style;
      // A page that must not be scrolled while a notice is open is often fixed as a whole.
      const position = element === view.root || element === view.body ? "static" : box.position;
      const isPlaced = position === "absolute" || position === "fixed";
      const outer = position === "fixed" ? parent.clipFixed : isPlaced ? parent.clipAbs : parent.clip;
      const isShaped = box.clipPath !== "none" || (isPlaced && style.clip !== "auto");
      const shape = isShaped && !box.isLoose ? boundsOf(box, isPlaced) : null;
      let inner = shape ? intersect(outer, { ...shape, owner: null }) : outer;
      const isCut = overflow !== "visible" || CONTAINS.test(style.contain);
      if (isCut && !box.isLoose) inner = this.clipOverflow(box, inner, style);
      const moves = transform !== "none" || box.filter !== "none";
      const cut = (clip) => (shape ? intersect(clip, shape) : clip);
      box.clip = inner;
      box.clipAbs = position !== "static" || moves ? inner : cut(parent.clipAbs);
      box.clipFixed = moves ? inner : cut(parent.clipFixed);
      box.isFixed = parent.isFixed || position === "fixed" || position === "sticky";
      if (transform.startsWith("matrix3d") && style.backfaceVisibility === "hidden") this.judgeBack(box, parent, style);
    }

    /** An image or a shadow as the browser writes it. */
    write(style, property) {
      if (this.written > MOST_WRITTEN) return "none";
      const text = style[property];
      this.written += text.length;
      return text;
    }

    judgeBack(box, parent, style) {
      const facing = parseFloat(style.transform.split(",")[10]);
      if (facing < 0 && parent.style?.transformStyle !== "preserve-3d") box.isHidden = true;
    }

    /** What is beyond a box that scrolls can be reached; what is beyond one that does not is cut off. */
    clipOverflow(box, outer, style) {
      const { element, view } = box;
      if (element === view.root || element === view.body || UNCLIPPED.has(box.display)) return outer;
      const rect = dom.rect(element);
      const seen = intersect(outer, { left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom, owner: box });
      if (isThin(seen, THIN_PX)) {
        // An element that opens on a click may have no height, but it has a width.
        if (rect.height < 1 && rect.width > THIN_PX && this.opens(element, view)) box.isLoose = true;
        return seen;
      }
      const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
      if (scrolls(style.overflowX)) {
        seen.left = rect.left - Math.max(0, dom.scrollLeft(element)) - (style.direction === "rtl" ? 1e6 : 0);
        seen.right = Infinity;
      }
      if (scrolls(style.overflowY)) {
        seen.top = rect.top - dom.scrollTop(element);
        seen.bottom = Infinity;
      }
      return seen;
    }

    judgeLayer(box, parent, style) {
      const { position } = box;
      const { zIndex } = style;
      const isItem = zIndex !== "auto" && /flex|grid/.test(parent.display);
      const isDrawnApart = box.transform !== "none" || box.filter !== "none" || box.clipPath !== "none";
      const isContext = isDrawnApart || box.opacity < parent.opacity;
      if ((position === "static" && !isItem && !isContext) || parent.base.length > DEEPEST_LAYER) return;
      const level = (position === "static" && !isItem) || zIndex === "auto" ? 0 : parseInt(zIndex, 10);
      if (level < 0 && parent.hasFloor) box.isHidden = true;
      box.key = [...parent.base, level, this.order];
      if (isContext || isItem || zIndex !== "auto" || position === "fixed" || position === "sticky") {
        box.base = box.key;
        box.hasFloor = false;
      }
    }

    judgeGround(box, style) {
      const { view, element } = box;
      const colour = paint.apply(box.tints, paint.colour(style.backgroundColor));
      const alpha = colour[3] * box.opacity;
      const image = this.write(style, "backgroundImage");
      if (alpha <= 0.005 && image === "none") return;
      const colours = image === "none" ? [] : paint.colours(image);
      if (style.backgroundClip === "text") {
        box.inks = colours ? [...colours, colour] : [[0, 0, 0, 1], [255, 255, 255, 1]];
        return;
      }
      box.isBacked = true;
      const isCanvas = element === view.root || (element === view.body && !view.hasCanvas);
      if (element === view.root) view.hasCanvas = true;
      if (alpha > OPAQUE && !isCanvas) box.hasFloor = true;
      if (box.ground) box.ground = paint.over(box.ground, colour, alpha);
      else if (alpha > OPAQUE) box.ground = colour.slice(0, 3);
      if (alpha > OPAQUE) box.fallback = null;
      const drawn = this.drawn(colours, box, alpha);
      this.add(box, drawn, Math.max(alpha, colours?.length ? Math.min(...colours.map((each) => each[3])) * box.opacity : 0));
      box.ground = drawn;
    }

    /** The ground with images on it; null for many colours. Behind a picture, text of the background's colour is hidden. */
    drawn(colours, box, alpha) {
      if (colours === null) {
        box.fallback = alpha > OPAQUE ? box.ground : null;
        return null;
      }
      if (!box.ground || !colours.length) return box.ground;
      const grounds = colours.map((each) => paint.over(box.ground, each, each[3] * box.opacity));
      return grounds.every((each) => paint.isSame(each, grounds[0])) ? grounds[0] : null;
    }

    /** Remember what is painted beside the ancestors of a text, below or above it. */
    add(box, colour, alpha) {
      if (alpha < TINTED && colour) return;
      const painter = { box, colour, key: box.key, rect: null };
      box.view.painted.push(painter);
      if (alpha < OPAQUE || !box.key.length || box.isLoose || box.isVeiled || box.view.raised.length >= MOST_RAISED) return;
      painter.rect = dom.rect(box.element);
      if (!isThin(painter.rect, THIN_PX)) box.view.raised.push(painter);
    }

    /** Boxes that a style sheet lays below or above the text of an element. */
    addPseudos(box) {
      for (const style of pseudos(box.element)) {
        if (style.position !== "absolute") continue;
        const colour = paint.colour(style.backgroundColor);
        const alpha = colour[3] * parseFloat(style.opacity) * box.opacity;
        if (alpha < TINTED) continue;
        const around = dom.rect(box.element);
        const left = around.left + parseFloat(style.left);
        const top = around.top + parseFloat(style.top);
        const rect = { left, top, right: left + parseFloat(style.width), bottom: top + parseFloat(style.height) };
        const key = [...box.base, style.zIndex === "auto" ? 0 : parseInt(style.zIndex, 10), this.order + 0.5];
        const painter = { box: { ...box, element: null }, colour, key, rect };
        box.view.painted.push(painter);
        if (alpha > OPAQUE && box.view.raised.length < MOST_RAISED) box.view.raised.push(painter);
      }
    }

    /** A picture that is not read, but may be the ground of a text. */
    addPicture(element, parent) {
      if (parent.isHidden || parent.isLoose || parent.isExempt) return;
      parent.view.painted.push({ box: { ...parent, element, parent }, colour: null, key: parent.key, rect: null });
    }

    isFormula(box) {
      const name = dom.localName(box.element);
      if (name === "annotation") return true;
      if (name === "mjx-assistive-mml") return box.display !== "none" && dom.queryInside(box.element, "math") !== null;
      return box.position === "absolute" && box.style.clip !== "auto" && FORMULA.test(dom.getAttribute(box.element, "class") ?? "");
    }

    /** Whether a click, or scrolling, opens an element: the rule of the extraction, and what a visible control names. */
    opens(element, view) {
      if (dom.getAttribute(element, "hidden")?.toLowerCase() === "until-found") return getComputedStyle(element).display !== "none";
      const role = dom.getAttribute(element, "role");
      if (role === "tabpanel") return true;
      const parent = dom.parentElement(element);
      const text = describe(element) + (parent && parent !== view.body ? describe(parent) : "");
      const isNamed = role === "region" && dom.hasAttribute(element, "aria-labelledby");
      if (!isNamed && !OPENS.test(text) && !this.isControlled(element, view) && !view.isShownByRule(element)) return false;
      return !OPENS_ASIDE.test(text);
    }

    isControlled(element, view) {
      for (let each = element, at = 0; each && at < CONTROL_LEVELS; at += 1, each = dom.parentElement(each)) {
        const id = dom.getAttribute(each, "id");
        if (id && view.controlled.has(id)) return true;
      }
      return false;
    }

    /** Whether a text is seen, as far as its own box tells; `unseen` decides about those that others paint over. */
    shows(node, chars, box, index) {
      if (box.isExempt) return true;
      if (box.isHidden || box.isVeiled || (box.isClosed && !box.isOpenable)) return false;
      box.size ||= parseFloat(box.style.fontSize);
      box.isInked ??= this.isInked(box, box.ground);
      const isSame = !box.isInked || (box.fallback && !this.isInked(box, box.fallback));
      if (box.size < SMALL_PX - 1 || box.style.webkitTextSecurity !== "none") return false;
      if (isSame && box.isLoose) return false;
      const { texts } = box.view;
      if (box.isLoose || box.isClosed || texts.length >= MOST_TEXTS || FIELDS.has(dom.localName(box.element))) return !isSame;
      box.isRendered ??= dom.checkVisibility(box.element);
      if (!box.isRendered && box.display !== "contents") return false;
      this.range.selectNodeContents(node);
      const rect = this.range.getBoundingClientRect();
      if (!this.isInReach(rect, chars, box)) return false;
      texts.push({ index, rect, box, chars, isSame });
      return true;
    }

    isInked(box, ground) {
      const { style, opacity, blend, tints } = box;
      const isSeen = (ink) => paint.isSeen(paint.apply(tints, ink), ground, opacity, blend);
      const stroke = parseFloat(style.webkitTextStrokeWidth);
      // A broad stroke is painted over the letters.
      if (stroke < BROAD * box.size && isSeen(paint.colour(style.webkitTextFillColor))) return true;
      if (stroke > 0 && isSeen(paint.colour(style.webkitTextStrokeColor))) return true;
      return box.inks.some(isSeen) || paint.shadows(this.write(style, "textShadow")).some(isSeen);
    }

    isInReach(rect, chars, box) {
      const { size } = box;
      // Letters that are scaled down take less room.
      const letter = Math.min(size, rect.height);
      const isPiled = chars >= PILED_CHARS && rect.width * rect.height < PILED * chars * letter * letter;
      const isFlat = rect.width < 1 || rect.height < SMALL_PX;
      if (isFlat) return this.isFlatUntilOpened(box);
      if (isPiled) return false;
      const seen = intersect(box.clip, rect);
      const isSliced = seen.bottom - seen.top < Math.min(SLICE * size, 0.5 * rect.height);
      const isCut = seen.right - seen.left < Math.min(FEW_LETTERS * size, 0.1 * rect.width);
      if (!isSliced && !isCut && !isThin(seen, Math.min(THIN_PX, rect.width, rect.height))) return true;
      return this.isShownInTurn(rect, box);
    }

    /** Whether an element without a size around this text opens on a click. */
    isFlatUntilOpened(box) {
      let each = box;
      for (let at = 0; each?.element && at < LEVELS && isThin(dom.rect(each.element), 1); at += 1, each = each.parent) {
        if (this.opens(each.element, each.view)) return true;
      }
      // Lines beyond a clamp have no size.
      return Boolean(each?.style) && each.style.webkitLineClamp !== "none";
    }

    /** Whether a box that shows a part of its content at a time, or all of it after a click, cuts this text off. */
    isShownInTurn(rect, box) {
      const { owner } = box.clip;
      const { window, reach } = box.view;
      const isFar = rect.right < reach.left - window.innerWidth || rect.bottom < reach.top - window.innerHeight;
      if (isFar || !owner || isThin(dom.rect(owner.element), THIN_PX)) return false;
      owner.hasMore ??= owner.style.webkitLineClamp !== "none" || this.hasControl(owner.element);
      if (owner.hasMore) return true;
      for (let each = box, at = 0; each?.element && at < LEVELS; at += 1, each = each.parent) {
        each.isOneOfMany ??= this.opens(each.element, each.view) || CLIPS_MORE.test(describe(each.element));
        if (each.isOneOfMany) return true;
        if (each === owner) break;
      }
      return false;
    }

    hasControl(element) {
      if (dom.queryInside(element, CONTROLS)) return true;
      let next = dom.nextElement(element);
      for (let at = 0; next && at < 3; at += 1, next = dom.nextElement(next)) {
        if (dom.matches(next, CONTROLS) || dom.queryInside(next, CONTROLS)) return true;
      }
      return false;
    }

    /** The element that hides so much text beside these characters that it is a wrapper around the page; or null. */
    wrapper(chars) {
      let [most, found] = [WRAPPED_CHARS, null];
      for (const element of this.hiders.slice(0, MOST_HIDERS)) {
        const hidden = dom.text(element).length < most ? 0 : countChars(element);
        if (hidden > most) [most, found] = [hidden, element];
      }
      return chars < ENOUGH_CHARS && most > WRAPPED * (most + chars) ? found : null;
    }

    /** The indices of texts that are not seen after all: in the colour of their ground, or below something opaque. */
    *unseen() {
      for (const view of this.views) {
        const same = view.texts.filter((text) => text.isSame && !this.isOnOther(text, view));
        // Where most of a page has no contrast, the style sheet with its colours is missing.
        if (!this.isMost(same, view)) yield* same.map((text) => text.index);
        yield* this.covered(view);
      }
    }

    isMost(texts, view) {
      const chars = (list) => list.reduce((sum, text) => sum + text.chars, 0);
      const [found, all] = [chars(texts), chars(view.texts)];
      return view.isTop && 2 * found > all && all - found < ENOUGH_CHARS;
    }

    /** Whether an element that is no ancestor gives this text a ground on which it is seen. */
    isOnOther({ rect, box }, view) {
      this.compared += view.painted.length + 1;
      if (this.compared > MOST_COMPARED || !this.isInked(box, null)) return false;
      const ancestors = new Set();
      for (let each = box; each?.element; each = each.parent) {
        ancestors.add(each.element);
        if (ancestors.size < LEVELS && pseudos(each.element).some((style) => style.backgroundImage.includes("url("))) return true;
      }
      const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
      let top = null;
      for (const painter of view.painted) {
        if (ancestors.has(painter.box.element)) continue;
        painter.rect ??= dom.rect(painter.box.element);
        if (!holds(painter.rect, x, y) || isThin(painter.rect, THIN_PX)) continue;
        if (compare(painter.key, FLOW, box.key, TEXT) > 0) continue;
        if (!top || compare(painter.key, FLOW, top.key, FLOW) >= 0) top = painter;
      }
      return top !== null && this.isInked(box, top.colour && top.colour.slice(0, 3));
    }

    *covered(view) {
      if (!view.raised.length) return;
      const rows = new Rows(view.raised);
      const found = view.texts.filter((text) => this.isCovered(rows.at(text.rect), text, view));
      // What covers most of a page is to be closed, such as a notice.
      if (this.isMost(found, view)) return;
      for (const text of found) {
        if (this.isOpenedInTurn(text.box)) continue;
        for (const each of text.inner?.texts ?? [text]) yield each.index;
      }
    }

    /** Whether painters above a text cover nearly all of it, each or together. */
    isCovered(painters, text, view) {
      const { rect } = text;
      const above = painters.filter((painter) => this.isAbove(painter, text, view));
      if (!above.length) return false;
      let covered = 0;
      for (let at = 0; at < SAMPLES; at += 1) {
        const x = rect.left + ((at + 0.5) / SAMPLES) * rect.width;
        // Three rows in turn.
        const y = rect.top + (((at % 3) + 0.5) / 3) * rect.height;
        if (above.some((painter) => holds(painter.rect, x, y))) covered += 1;
      }
      return covered >= OPAQUE * SAMPLES;
    }

    isAbove({ rect, key, box }, text, view) {
      if (isThin(intersect(rect, text.rect), 1)) return false;
      if (compare(key, -Infinity, text.box.key, TEXT) <= 0) return false;
      // Text is scrolled out from under a bar that stays where it is.
      const { innerWidth, innerHeight } = view.window;
      return !box.isFixed || text.box.isFixed || (rect.width >= innerWidth && rect.height >= innerHeight);
    }

    isOpenedInTurn(box) {
      for (let at = 0; box?.element && at < LEVELS / 2; at += 1, box = box.parent) {
        if (this.opens(box.element, box.view)) return true;
      }
      return false;
    }
  }

  dowse.Sight = Sight;
})();
