import { expect, it } from '@jest/globals'
import { median, medianText, numbersOf, rangeText } from './medians.ts'

it('reads the numbers of a value, without those that belong to a word', () => {
  expect(numbersOf('2,187/s')).toEqual([2187])
  expect(numbersOf('0.73 CPU-s, 450 MiB')).toEqual([0.73, 450])
  expect(numbersOf('none')).toEqual([])
})

it('takes the value in the middle, not the mean', () => {
  expect(median([900, 1, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2)
})

it('writes medians as the values were written', () => {
  expect(medianText(['1,100/s', '900/s', '1,000/s'])).toBe('1,000/s')
  expect(medianText(['0.7 CPU-s, 450 MiB', '0.9 CPU-s, 410 MiB', '0.8 CPU-s, 430 MiB'])).toBe(
    '0.8 CPU-s, 430 MiB',
  )
})

it('shows all values when they cannot be compared', () => {
  expect(medianText(['none', '3 with 503', 'none'])).toBe('none; 3 with 503; none')
})

it('shows how far the rounds lie apart', () => {
  expect(rangeText(['1,100/s', '900/s', '1,000/s'])).toBe('900/s to 1,100/s')
  expect(rangeText(['5 ms', '5 ms'])).toBe('')
  expect(rangeText(['0.7 CPU-s, 450 MiB', '0.9 CPU-s, 410 MiB'])).toBe('')
})
