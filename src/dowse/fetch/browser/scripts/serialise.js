// The page as HTML: what a reader sees of it in one tree, without what only programs need.
(() => {
  "use strict";
  const { dom } = dowse;
  const MOST_NODES = 400_000;
  // Deeper than this elements are left out, not their text.
  const DEEPEST = 400;
  // Pages with less text than this may not be what they should, and their scripts tell what they are instead.
  const LITTLE_CHARS = 2000;
  const NO_TEXT_CHARS = 200;
  const SCRIPT_CHARS = 3000;
  // Enough to recognise a page that asks for scripts, too little to be read as content: it is not displayed here.
  const NOSCRIPT_CHARS = 140;
  const DATA_CHARS = 100_000;
  const VALUE_CHARS = 4000;
  const DROPPED = new Set(["style", "svg", "canvas", "template", "noembed", "noframes", "object", "embed", "audio", "video"]);
  const VOID = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const RENAMED = new Map([["xmp", "pre"], ["listing", "pre"], ["plaintext", "pre"], ["frameset", "div"]]);
  const NAME = /^[a-z][a-z0-9._:-]{0,60}$/i;
  const ATTRIBUTE = /^[a-z_:@][a-z0-9._:-]{0,80}$/i;
  const NEEDLESS = /^(?:on|srcset$|sizes$|integrity$|nonce$|jsaction$|jslog$|ping$)/i;
  // The browser has judged what these hide; of styles only that is left which tells code and lines.
  const JUDGED = new Set(["hidden", "popover", "style"]);
  const TELLING_STYLE = /(?<![\w-])(?:display\s*:\s*block|white-space\s*:\s*pre[\w-]*)/gi;
  const PICTURES = new Set(["img", "svg", "canvas", "video", "object", "embed"]);
  const LINKS = new Set(["href", "cite"]);

  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const raw = (text, most) => text.slice(0, most).replace(/<\/(?=script|noscript)/gi, "<\\/");

  class Writer {
    constructor(mostChars, textChars, shown = null) {
      this.pieces = [];
      this.chars = 0;
      this.textChars = 0;
      this.nodes = 0;
      this.mostChars = mostChars;
      this.keepsScripts = textChars < LITTLE_CHARS;
      this.keepsNoscript = textChars < NO_TEXT_CHARS;
      this.overlays = dowse.overlays();
      this.sight = new dowse.Sight(shown);
    }

    get isFull() {
      return this.chars > this.mostChars || this.nodes > MOST_NODES;
    }

    get left() {
      return this.mostChars - this.chars;
    }

    write(piece) {
      this.pieces.push(piece);
      this.chars += piece.length;
    }

    page() {
      this.write("<!DOCTYPE html>");
      if (dom.root(document)) this.tree(dom.root(document));
    }

    /** Write a tree without recursion: pages nest as deep as they like. Strings on the stack are end tags. */
    tree(root) {
      const stack = [{ node: root, depth: 0, base: "", box: this.sight.open(document) }];
      while (stack.length && !this.isFull) {
        const next = stack.pop();
        if (typeof next === "string") this.write(next);
        else this.visit(next, stack);
      }
      for (const index of this.sight.unseen()) this.pieces[index] = "";
    }

    visit({ node, depth, base, box }, stack) {
      this.nodes += 1;
      const type = dom.nodeType(node);
      if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) this.text(node, box);
      if (type !== Node.ELEMENT_NODE || this.overlays.has(node)) return;
      const name = dom.localName(node).toLowerCase();
      if (name === "script") return this.script(node);
      if (name === "noscript") return this.noscript(node);
      if (box && PICTURES.has(name)) this.sight.addPicture(node, box);
      if (DROPPED.has(name)) return;
      // The head is never displayed, but tells about the page.
      const own = box && name !== "head" ? this.sight.enter(node, box) : null;
      if (own?.isHidden) return;
      if (name === "iframe" || name === "frame") return this.frame(node, depth, stack, own);
      if (name === "slot") return this.children(this.slotted(node), depth, base, own, stack);
      const isWritten = depth < DEEPEST;
      const tag = RENAMED.get(name) ?? (NAME.test(name) ? name : "div");
      if (isWritten) this.write(`<${tag}${this.attributes(node, base)}>`);
      if (VOID.has(tag)) return;
      if (isWritten) stack.push(`</${tag}>`);
      const shadow = dom.shadow(node);
      if (shadow) dowse.layout.finish(shadow.getAnimations());
      this.children(this.inside(shadow ?? node), depth + 1, base, own, stack);
    }

    /** One character more than there is room for tells that it was too much. */
    text(node, box) {
      const text = dom.text(node).slice(0, this.left + 1);
      const chars = box ? text.replace(/\s+/g, "").length : 0;
      if (chars && !this.sight.shows(node, chars, box, this.pieces.length)) return;
      this.textChars += chars;
      this.write(escaped(text));
    }

    children(nodes, depth, base, box, stack) {
      for (let index = nodes.length - 1; index >= 0; index -= 1) stack.push({ node: nodes[index], depth, base, box });
    }

    inside(node) {
      const nodes = [];
      for (let child = dom.firstChild(node); child; child = dom.nextSibling(child)) nodes.push(child);
      return nodes;
    }

    /** What takes the place of a slot: what is assigned to it, else its own content. */
    slotted(slot) {
      const assigned = slot instanceof HTMLSlotElement ? slot.assignedNodes() : [];
      return assigned.length ? assigned : this.inside(slot);
    }

    frame(node, depth, stack, own) {
      const inner = dom.contentDocument(node);
      const body = inner && dom.body(inner);
      if (!body) {
        // A frame of another origin is only named: checks are recognised by it.
        this.write(`<iframe${this.attributes(node, "")}></iframe>`);
        return;
      }
      const box = own && this.sight.openFrame(inner, own);
      if (!box || box.isHidden) return;
      this.write("<div>");
      stack.push("</div>");
      this.children(this.inside(body), depth + 1, dom.baseURI(body), box, stack);
    }

    /** Data about the page is kept; programs only where there is little text. */
    script(node) {
      const isData = /ld\+json/i.test(dom.getAttribute(node, "type") ?? "");
      if (!isData && !this.keepsScripts) return;
      this.write(`<script${this.attributes(node, "")}>${raw(dom.text(node), isData ? DATA_CHARS : SCRIPT_CHARS)}</script>`);
    }

    noscript(node) {
      if (this.keepsNoscript) this.write(`<noscript>${raw(dom.text(node), NOSCRIPT_CHARS)}</noscript>`);
    }

    attributes(node, base) {
      let written = "";
      for (const { name, value } of dom.attributes(node)) {
        if (written.length > this.left) break;
        if (!ATTRIBUTE.test(name) || NEEDLESS.test(name) || value.length > VALUE_CHARS) continue;
        if (JUDGED.has(name)) {
          written += this.style(name === "style" ? value : "");
          continue;
        }
        const shown = base && LINKS.has(name) ? absolute(value, base) : value;
        written += ` ${name}="${escaped(shown).replaceAll('"', "&quot;")}"`;
      }
      return written;
    }

    style(value) {
      const telling = value.match(TELLING_STYLE);
      return telling ? ` style="${telling.join(";").toLowerCase()}"` : "";
    }
  }

  /** Links in a frame are relative to it, and lose it here. */
  const absolute = (address, base) => {
    try {
      return new URL(address, base).href;
    } catch {
      return address;
    }
  };

  /** Text and data are shown inside a page of the browser's own making; this is what came. */
  const source = () => {
    const tree = dom.queryIn(document, "#webkit-xml-viewer-source-xml")[0];
    if (tree) return [...tree.childNodes].map((node) => new XMLSerializer().serializeToString(node)).join("");
    if (document instanceof XMLDocument) return new XMLSerializer().serializeToString(document);
    return dom.text(dom.queryIn(document, "pre")[0] ?? dom.root(document));
  };

  dowse.serialise = (isHtml, mostChars) => {
    const { chars } = dowse.measure();
    let writer = new Writer(mostChars, chars);
    if (isHtml) {
      writer.page();
      const wrapper = writer.sight.wrapper(writer.textChars);
      if (wrapper) {
        writer = new Writer(mostChars, chars, wrapper);
        writer.page();
      }
    } else {
      writer.write(source());
    }
    // What is too much for the reader may be too much for the way to it.
    return { url: dom.url(document), chars, content: writer.isFull ? "" : writer.pieces.join(""), isCut: writer.isFull };
  };
})();
