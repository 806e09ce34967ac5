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
  const DATA_CHARS = 100_000;
  const VALUE_CHARS = 4000;
  const DROPPED = new Set(["style", "svg", "canvas", "template", "noembed", "noframes", "object", "embed", "audio", "video"]);
  const VOID = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const RENAMED = new Map([["xmp", "pre"], ["listing", "pre"], ["plaintext", "pre"], ["frameset", "div"]]);
  const NAME = /^[a-z][a-z0-9._:-]{0,60}$/i;
  const ATTRIBUTE = /^[a-z_:@][a-z0-9._:-]{0,80}$/i;
  const NEEDLESS = /^(?:on|srcset$|sizes$|integrity$|nonce$|jsaction$|jslog$|ping$)/i;
  const LINKS = new Set(["href", "cite"]);

  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const raw = (text, most) => text.slice(0, most).replace(/<\/(?=script|noscript)/gi, "<\\/");

  class Writer {
    constructor(mostChars, textChars) {
      this.pieces = [];
      this.chars = 0;
      this.nodes = 0;
      this.mostChars = mostChars;
      this.keepsScripts = textChars < LITTLE_CHARS;
      this.keepsNoscript = textChars < NO_TEXT_CHARS;
      this.overlays = dowse.overlays();
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

    /** Write a tree without recursion: pages nest as deep as they like. Strings on the stack are end tags. */
    tree(root) {
      const stack = [{ node: root, depth: 0, base: "" }];
      while (stack.length && !this.isFull) {
        const next = stack.pop();
        if (typeof next === "string") this.write(next);
        else this.visit(next, stack);
      }
    }

    visit({ node, depth, base }, stack) {
      this.nodes += 1;
      const type = dom.nodeType(node);
      if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) this.text(node);
      if (type !== Node.ELEMENT_NODE || this.overlays.has(node)) return;
      const name = dom.localName(node).toLowerCase();
      if (name === "script") return this.script(node);
      if (name === "noscript") return this.noscript(node);
      if (DROPPED.has(name)) return;
      if (name === "iframe" || name === "frame") return this.frame(node, depth, stack);
      if (name === "slot") return this.children(this.slotted(node), depth, base, stack);
      const isWritten = depth < DEEPEST;
      const tag = RENAMED.get(name) ?? (NAME.test(name) ? name : "div");
      if (isWritten) this.write(`<${tag}${this.attributes(node, base)}>`);
      if (VOID.has(tag)) return;
      if (isWritten) stack.push(`</${tag}>`);
      this.children(this.inside(dom.shadow(node) ?? node), depth + 1, base, stack);
    }

    /** One character more than there is room for tells that it was too much. */
    text(node) {
      this.write(escaped(dom.text(node).slice(0, this.left + 1)));
    }

    children(nodes, depth, base, stack) {
      for (let index = nodes.length - 1; index >= 0; index -= 1) stack.push({ node: nodes[index], depth, base });
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

    frame(node, depth, stack) {
      const body = dom.contentDocument(node) && dom.body(dom.contentDocument(node));
      if (!body) {
        // A frame of another origin is only named: checks are recognised by it.
        this.write(`<iframe${this.attributes(node, "")}></iframe>`);
        return;
      }
      this.write("<div>");
      stack.push("</div>");
      this.children(this.inside(body), depth + 1, dom.baseURI(body), stack);
    }

    /** Data about the page is kept; programs only where there is little text. */
    script(node) {
      const isData = /ld\+json/i.test(dom.getAttribute(node, "type") ?? "");
      if (!isData && !this.keepsScripts) return;
      this.write(`<script${this.attributes(node, "")}>${raw(dom.text(node), isData ? DATA_CHARS : SCRIPT_CHARS)}</script>`);
    }

    noscript(node) {
      if (this.keepsNoscript) this.write(`<noscript>${raw(dom.text(node), SCRIPT_CHARS)}</noscript>`);
    }

    attributes(node, base) {
      let written = "";
      for (const { name, value } of dom.attributes(node)) {
        if (written.length > this.left) break;
        if (!ATTRIBUTE.test(name) || NEEDLESS.test(name) || value.length > VALUE_CHARS) continue;
        const shown = base && LINKS.has(name) ? absolute(value, base) : value;
        written += ` ${name}="${escaped(shown).replaceAll('"', "&quot;")}"`;
      }
      return written;
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
    const writer = new Writer(mostChars, chars);
    if (!isHtml) {
      writer.write(source());
    } else {
      writer.write("<!DOCTYPE html>");
      if (dom.root(document)) writer.tree(dom.root(document));
    }
    // What is too much for the reader may be too much for the way to it.
    return { url: dom.url(document), chars, content: writer.isFull ? "" : writer.pieces.join(""), isCut: writer.isFull };
  };
})();
