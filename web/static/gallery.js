// Pictures beside the examples, loaded when their list is opened.

/** Adds a picture to each link of an example when the list in details is open. */
export function addPictures(details) {
  const add = () => {
    if (!details.open || details.classList.contains('pictured')) return;
    details.classList.add('pictured');
    const style = document.createElement('link');
    style.rel = 'stylesheet';
    style.href = new URL('./gallery.css', import.meta.url).href;
    document.head.append(style);
    for (const link of details.querySelectorAll('a[data-example]')) {
      const image = document.createElement('img');
      image.src = new URL(`./gallery/${link.dataset.example}.svg`, import.meta.url).href;
      image.alt = '';
      image.loading = 'lazy';
      image.addEventListener('error', () => image.remove());
      link.prepend(image);
    }
  };
  details.addEventListener('toggle', add);
  add();
}
