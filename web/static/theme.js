// Sets the colour scheme and the symbols of drawings before the first paint. It is a classic
// script, because modules run later.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('symbols') === 'ansi') document.documentElement.dataset.symbols = 'ansi';
} catch {
  // Storage may be blocked. The page then uses the scheme of the system.
}
