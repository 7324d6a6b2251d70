/**
 * What `@jest/globals` is in a test. Modules live longer than a test file, so these bindings change
 * with each file.
 */
export let afterAll
export let afterEach
export let beforeAll
export let beforeEach
export let describe
export let expect
export let it
export let jest
export let test

export function useGlobals(globals) {
  ;({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals)
}
