import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  drawOrderStates,
  generateOrderStatesPage,
  PAGE,
  PICTURE,
} from '../../../../docs/order-states-page.ts'

it.each([
  { file: PAGE, generate: generateOrderStatesPage },
  { file: PICTURE, generate: drawOrderStates },
])('generates exactly the stored $file', async ({ file, generate }) => {
  const isCurrent = (await readFile(file, 'utf8')) === generate()
  expect(isCurrent, `${file} is out of date: run npm run generate`).toBe(true)
})
