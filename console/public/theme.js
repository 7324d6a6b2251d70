// Runs before the first paint, so that no other theme flashes. The content security policy refuses
// inline scripts. `src/parts/theme/theme.ts` writes what this reads.
try {
  const theme = localStorage.getItem('surehook.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // The browser blocks site data. The theme of the system stays.
}
