import { actions, commandButton, section } from '@signalman/slack'
import { expect, it } from 'vitest'
import { slackbotBlocks } from '../../../src/doors/slackbot/cards.ts'

it('says all of a long answer, and has buttons where there is room left', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => [
    section(`row ${at}`),
    ...actions(...['a', 'b', 'c'].map((label) => commandButton(label, `/hc show ${label}-${at}`))),
  ])
  const drawn = await slackbotBlocks({ blocks: rows.flat() }, async (line) => ({ line }))
  expect(drawn).toHaveLength(50)
  expect(drawn.filter((block) => JSON.stringify(block).includes('"row '))).toHaveLength(20)
})
