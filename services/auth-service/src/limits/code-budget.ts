/** Wrong short codes of a purpose that an environment takes. Beyond them its new codes are long. */
export const codesPerHour = 30
export const codesPerDay = 100
