import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createHasText } from '../../../src/features/cert-orders/choose-order.ts'

it('reads the largest request, and searches and compares 1,000 large orders at once, in little memory', async () => {
  const file = fileURLToPath(new URL('large-orders-process.ts', import.meta.url))
  // V8 takes more in the container of `compose.yaml`.
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=200', file])
  const { fileBytes, searched, similar } = JSON.parse(stdout.slice(stdout.indexOf('{')))
  expect(fileBytes).toBeGreaterThan(60_000)
  expect(searched).toBe(1000)
  expect(similar).toEqual(Array(10).fill(200))
})

it('searches for at most ten different words', () => {
  const search = (text: string) => () => createHasText(text)
  expect(search('a '.repeat(2000).trim())).not.toThrow()
  expect(search(Array.from({ length: 11 }, (_, at) => at).join(' '))).toThrow('at most 10 different words')
})
