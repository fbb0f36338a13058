// What is wrong with the page as it is laid out, whatever the browser and the machine's fonts: text or a control that
// reaches beyond the side or over another one, words of a chart that meet or are cut off, and text that does not stand
// out from what is behind it.
(() => {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const beyond = document.documentElement.scrollWidth - width;
  if (beyond > 0) faults.push(`the page is ${beyond} px wider than the window`);

  // The figures have tests of their own, and what lies over a drawing is transparent.
  const other = "script, style, noscript, option, svg *, .uplot div";
  const seen = element => !element.closest(other)
    && element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
  // What is left of a box inside of elements that cut off or scroll what they hold.
  const inside = (box, element) => {
    for (let own = element; own && own !== document.body; own = own.parentElement) {
      if (getComputedStyle(own).overflow === "visible") continue;
      const room = own.getBoundingClientRect();
      box = {
        ...box,
        left: Math.max(box.left, room.left),
        right: Math.min(box.right, room.right),
        top: Math.max(box.top, room.top),
        bottom: Math.min(box.bottom, room.bottom),
      };
    }
    return box;
  };
  const boxes = [];
  const add = (element, words, { left, right, top, bottom }, within) => {
    const box = inside({ element, words, left, right, top, bottom }, within);
    if (box.right - box.left > 1 && box.bottom - box.top > 1) boxes.push(box);
  };
  for (const element of document.querySelectorAll("button, .button, select, input, canvas, img, svg")) {
    const named = `<${element.tagName} ${element.id || element.textContent.trim().slice(0, 40)}>`;
    if (seen(element)) add(element, named, element.getBoundingClientRect(), element.parentElement);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const withText = new Set();
  while (texts.nextNode()) {
    const [node, element] = [texts.currentNode, texts.currentNode.parentElement];
    const words = node.textContent.trim().slice(0, 40);
    if (!words || !seen(element) || element.matches("details:not([open])")) continue;
    withText.add(element);
    range.selectNodeContents(node);
    // Boxes of text are as high as the font allows for, which some fonts do for more than a line.
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const quarter = (bottom - top) / 4;
      add(element, words, { left, right, top: top + quarter, bottom: bottom - quarter }, element);
    }
  }
  const meet = (one, two) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1
    && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 1;
  // A control and its own words.
  const holds = (one, two) => one.words.startsWith("<") && one.element.contains(two.element);
  const pairs = (all, fault, apart = () => false) => {
    all.sort((one, two) => one.top - two.top);
    all.forEach((one, number) => {
      for (let next = number + 1; next < all.length && all[next].top < one.bottom; next += 1) {
        if (meet(one, all[next]) && !apart(one, all[next])) faults.push(fault(one, all[next]));
      }
    });
  };
  boxes.filter(box => box.left < -1 || box.right > width + 1).forEach(({ words }) => faults.push(`beyond: ${words}`));
  pairs(boxes, (one, two) => `${one.words} lies on ${two.words}`, (one, two) => holds(one, two) || holds(two, one));

  for (const canvas of document.querySelectorAll("#plot canvas")) {
    const words = canvas.words || [];
    if (words.length < 6) faults.push(`a chart with ${words.length} words`);
    const cut = ({ left, right, top, bottom }) => left < -1 || top < -1 || right > canvas.width + 1
      || bottom > canvas.height + 1;
    words.filter(cut).forEach(({ text }) => faults.push(`cut off in a chart: ${text}`));
    pairs(words, (one, two) => `in a chart ${one.text} lies on ${two.text}`);
  }

  // Luminance and contrast as in WCAG 2, whose level AA asks for 4.5; what cannot be used now may be pale.
  const parts = colour => colour.match(/[\d.]+/g).map(Number);
  const luminance = colour => {
    const linear = parts(colour).slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const behind = element => {
    const colour = getComputedStyle(element).backgroundColor;
    return parts(colour)[3] === 0 ? behind(element.parentElement) : colour;
  };
  for (const element of withText) {
    if (element.closest(":disabled")) continue;
    const [low, high] = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  return [...new Set(faults)].slice(0, 20);
})()
