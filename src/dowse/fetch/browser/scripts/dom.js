// The first of the scripts that run beside the page, in a world of their own: they see its elements, it sees nothing of
// theirs. A form whose field is called "firstChild" still hides the real one, so elements are asked by these functions.
globalThis.dowse = {};
dowse.dom = (() => {
  "use strict";
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const method = (type, name) => {
    const call = type.prototype[name];
    return (node, ...args) => call.apply(node, args);
  };
  const queryIn = method(Document, "querySelectorAll");
  const shadowRoot = getter(Element, "shadowRoot");
  const contentDocument = (frame) => {
    try {
      return frame instanceof HTMLIFrameElement || frame instanceof HTMLFrameElement ? frame.contentDocument : null;
    } catch {
      return null; // of another origin
    }
  };
  // Shadow roots that the page keeps closed, by their hosts, as far as the browser told us.
  const opened = new Map();
  return {
    opened,
    contentDocument,
    queryIn,
    firstChild: getter(Node, "firstChild"),
    nextSibling: getter(Node, "nextSibling"),
    lastChild: getter(Node, "lastChild"),
    previousSibling: getter(Node, "previousSibling"),
    nodeType: getter(Node, "nodeType"),
    baseURI: getter(Node, "baseURI"),
    text: getter(Node, "textContent"),
    parentElement: getter(Node, "parentElement"),
    localName: getter(Element, "localName"),
    attributes: getter(Element, "attributes"),
    getAttribute: method(Element, "getAttribute"),
    hasAttribute: method(Element, "hasAttribute"),
    rect: method(Element, "getBoundingClientRect"),
    checkVisibility: method(Element, "checkVisibility"),
    matches: method(Element, "matches"),
    queryInside: method(Element, "querySelector"),
    nextElement: getter(Element, "nextElementSibling"),
    scrollLeft: getter(Element, "scrollLeft"),
    scrollTop: getter(Element, "scrollTop"),
    scrollWidth: getter(Element, "scrollWidth"),
    root: getter(Document, "documentElement"),
    body: getter(Document, "body"),
    url: getter(Document, "URL"),
    window: getter(Document, "defaultView"),
    animations: method(Document, "getAnimations"),
    scripts: getter(Document, "scripts"),
    readyState: getter(Document, "readyState"),
    listen: method(EventTarget, "addEventListener"),
    shadow: (element) => shadowRoot(element) ?? opened.get(element) ?? null,
  };
})();
