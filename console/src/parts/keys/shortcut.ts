/** Apple's keyboards have ⌘ for what Ctrl is elsewhere. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The keys that open the palette, as keyboards name them. */
export const findKeys = isApple ? '⌘K' : 'Ctrl K'
