// Sets the colour scheme before the first paint. A classic script, because modules run later.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch { /* storage may be forbidden; the system's scheme is used then */ }
