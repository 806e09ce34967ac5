// Colours as the browser computed them, and whether text of one colour can be read on another.
(() => {
  "use strict";
  // Below this contrast ratio (WCAG), and with channels this close, text and background look the same.
  const LEAST_CONTRAST = 1.12;
  const CLOSE = 40;
  const FAINT = 0.05;
  const MOST_COLOURS = 5000;
  const COLOUR = /rgba?\([^()]*\)|(?:color|lab|lch|oklab|oklch|hsla?)\([^()]*\)|transparent/g;
  const RGB = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/;
  // A picture of so few characters shows nothing.
  const TINY_PICTURE = /url\("data:[^"]{0,250}"\)/g;

  // Longer values are cut off: they are read for each element.
  const LONGEST_VALUE = 2000;
  const FAR_SHADOW = 100;

  const known = new Map();
  const images = new Map();
  let canvas = null;
  /** The browser converts colour spaces by drawing a dot. */
  const draw = (text) => {
    canvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "rgb(0, 0, 0)";
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  /** Red, green, blue (0 to 255) and alpha of a computed colour. */
  const colour = (text) => {
    let found = known.get(text);
    if (found) return found;
    const parts = RGB.exec(text);
    found = parts ? [+parts[1], +parts[2], +parts[3], parts[4] === undefined ? 1 : +parts[4]] : draw(text);
    if (known.size < MOST_COLOURS) known.set(text, found);
    return found;
  };

  const over = (ground, [red, green, blue], alpha) =>
    [red, green, blue].map((channel, at) => ground[at] + (channel - ground[at]) * alpha);

  const linear = (channel) => (channel <= 10 ? channel / 3295 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const isSame = (one, other) => {
    if (one.some((channel, at) => Math.abs(channel - other[at]) >= CLOSE)) return false;
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05) < LEAST_CONTRAST;
  };

  const BLENDS = {
    multiply: (a, b) => (a * b) / 255,
    screen: (a, b) => a + b - (a * b) / 255,
    darken: Math.min,
    lighten: Math.max,
    difference: (a, b) => Math.abs(a - b),
  };

  /** Whether this ink is seen on this ground (null if that is a picture), drawn with this opacity. */
  const isSeen = (ink, ground, opacity, blend = "normal") => {
    const alpha = ink[3] * opacity;
    if (alpha < FAINT) return false;
    if (!ground || (blend !== "normal" && !BLENDS[blend])) return true;
    const drawn = blend === "normal" ? ink : ink.slice(0, 3).map((channel, at) => BLENDS[blend](channel, ground[at]));
    return !isSame(over(ground, drawn, alpha), ground);
  };

  /** The colours in an image, a shadow and the like; null if it loads a picture, whose colours are unknown. */
  const colours = (text) => {
    let found = images.get(text);
    if (found === undefined) {
      found = findColours(text.slice(0, LONGEST_VALUE));
      if (images.size < MOST_COLOURS) images.set(text, found);
    }
    return found;
  };
  const findColours = (text) => {
    const drawn = text.replace(TINY_PICTURE, "");
    if (drawn.includes("url(")) return null;
    return [...new Set(drawn.match(COLOUR) ?? [])].map(colour);
  };
  /** The colours of shadows that are as near and as sharp as letters. */
  const shadows = (text) => {
    if (text === "none") return [];
    const near = text.slice(0, LONGEST_VALUE).split(/,(?![^(]*\))/).filter((each) =>
      (each.replace(COLOUR, "").match(/-?[\d.]+(?=px)/g) ?? []).every((length) => Math.abs(length) < FAR_SHADOW),
    );
    return colours(near.join());
  };

  const FILTERS = {
    invert: (amount) => (channel) => channel + amount * (255 - 2 * channel),
    brightness: (amount) => (channel) => Math.min(255, channel * amount),
    contrast: (amount) => (channel) => Math.min(255, Math.max(0, (channel - 127.5) * amount + 127.5)),
  };
  /** What a filter does to a channel; null if it leaves light and dark as they are. */
  const tint = (filter) => {
    const steps = [...filter.matchAll(/(invert|brightness|contrast)\(([\d.]+)\)/g)].map(([, name, amount]) => FILTERS[name](+amount));
    return steps.length ? (channel) => steps.reduce((value, step) => step(value), channel) : null;
  };
  const apply = (tints, colour) =>
    tints.length ? [...colour.slice(0, 3).map((channel) => tints.reduce((value, each) => each(value), channel)), colour[3]] : colour;

  dowse.paint = { FAINT, colour, colours, shadows, over, isSame, isSeen, tint, apply };
})();
