// The first line of the result, at the lower edge of a small screen while the result is not
// visible.
import { h } from './dom.js';

/**
 * Adds the line to the page and returns a function that updates it after a change of the result.
 * @param {HTMLElement} result the section of the result
 * @param {HTMLElement} numbers the values of the result
 * @returns {function(boolean=)} isStale: the result belongs to earlier inputs
 */
export function createPeek(result, numbers) {
  let isResultVisible = true;
  const scrollToResult = (event) => {
    event.preventDefault();
    result.scrollIntoView();
  };
  const peek = h('a', { class: 'peek', href: '#result', hidden: true, onclick: scrollToResult });
  const updateVisibility = () => {
    peek.hidden = isResultVisible || peek.textContent === '';
  };
  result.append(peek);
  const observer = new IntersectionObserver(
    ([{ isIntersecting, boundingClientRect }]) => {
      isResultVisible = isIntersecting || boundingClientRect.top < 0;
      updateVisibility();
    },
    { rootMargin: '0px 0px -40px' }, // the height of the line
  );
  observer.observe(result.parentElement);
  return (isStale = false) => {
    const text = firstLine(numbers);
    peek.textContent = isStale && text ? `Last result: ${text}` : text;
    updateVisibility();
  };
}

/** Returns the conclusion of a result, or else its primary value. */
function firstLine(numbers) {
  const conclusion = numbers.querySelector('.conclusion');
  if (conclusion) return conclusion.textContent;
  const parts = [...numbers.querySelectorAll('.value.first > :not(.acts)')];
  return parts.map((part) => part.textContent).join(': ');
}
