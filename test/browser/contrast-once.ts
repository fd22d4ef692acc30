/**
 * Runs in a page, once after axe has gone in. Axe looks at the contrast of each text anew, and that takes a third of
 * its time; a table of fifty rows has the same eight cells fifty times. From now on a text passes without a look if
 * another text of the same run has passed that has the same colours, sizes and backgrounds, its own and those of all
 * elements around it. That decides the contrast unless something positioned lies over a text or under it: axe looks at
 * such a text itself, and at all texts of which none has passed.
 */
export const CONTRAST_ONCE = `(() => {
  const check = axe._audit.checks['color-contrast'];
  const look = check.evaluate;
  const OF_TEXT = ['color', 'webkitTextFillColor', 'webkitTextStrokeColor', 'fontSize', 'fontWeight', 'textShadow'];
  const OF_BACKGROUND = ['backgroundColor', 'backgroundImage', 'backgroundClip', 'opacity', 'filter', 'mixBlendMode'];
  let passed, numbers, backgrounds, positioned;
  const numberOf = (text) => numbers.get(text) ?? numbers.set(text, numbers.size).get(text);
  const styles = (element, names) => {
    const style = getComputedStyle(element);
    return names.map((name) => style[name]).join(';');
  };
  const backgroundOf = (element) => {
    if (element === null) return -1;
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const number = numberOf(backgroundOf(element.parentElement) + '>' + styles(element, OF_BACKGROUND));
    backgrounds.set(element, number);
    return number;
  };
  const lies = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const isAlone = (element) => {
    positioned ??= [...document.querySelectorAll('body *')]
      .filter((one) => {
        const { position, transform } = getComputedStyle(one);
        return (position !== 'static' && position !== 'relative') || transform !== 'none';
      })
      .map((one) => ({ one, box: one.getBoundingClientRect() }));
    const place = element.getBoundingClientRect();
    return positioned.every(({ one, box }) => one.contains(element) || !lies(box, place));
  };
  axe.beginContrast = () => {
    [passed, numbers, backgrounds, positioned] = [new Set(), new Map(), new Map(), undefined];
  };
  check.evaluate = function (element, ...others) {
    const colours = isAlone(element) && backgroundOf(element) + '|' + styles(element, OF_TEXT);
    if (passed.has(colours)) return true;
    let reason;
    const report = this.data;
    this.data = (data) => {
      reason = data.messageKey;
      report.call(this, data);
    };
    const result = look.call(this, element, ...others);
    // With a reason it was not looked at to the end, as a text that is hidden.
    if (colours !== false && result === true && (reason === undefined || reason === null)) passed.add(colours);
    return result;
  };
})()`;
