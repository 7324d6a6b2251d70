/** Texts that run a script wherever they are taken for markup, a URL or a template. */
export const hostile = [
  '<script>window.hacked = 1</script>',
  '"><img src=x onerror="window.hacked = 1">',
  "'><svg onload='window.hacked = 1'>",
  'javascript:window.hacked=1',
  '</title><iframe srcdoc="<script>parent.hacked = 1</script>">',
  '</pre></code><a href="javascript:window.hacked=1" autofocus onfocus="window.hacked=1">x</a>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202Etxt.exe\u2028\u0007',
] as const
