// Sets the colour scheme before the first paint. A classic script, because modules run later.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('symbols') === 'ansi') document.documentElement.dataset.symbols = 'ansi'; // of drawings
} catch {
  /* storage may be forbidden; the system's scheme is used then */
}
