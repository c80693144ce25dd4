import { actions, commandButton, commandMenu, section } from '@signalman/slack'
import { expect, it } from 'vitest'
import { buildSlackbotBlocks } from '../../../src/integrations/slackbot/cards.ts'

it('shows a long response in full, with as many buttons as fit', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => [
    section(`row ${index}`),
    ...actions(...['a', 'b', 'c'].map((label) => commandButton(label, `/hc show ${label}-${index}`))),
  ])
  const blocks = await buildSlackbotBlocks({ blocks: rows.flat() }, async (line) => ({ line }))
  expect(blocks).toHaveLength(50)
  expect(blocks.filter((block) => JSON.stringify(block).includes('"row '))).toHaveLength(20)
  expect(JSON.stringify(blocks.at(-1))).toContain('31 more choices have no button here. Type the command')
})

it('says how many options of a long menu have no button', async () => {
  const buildMenu = async (count: number) => {
    const lines = Array.from({ length: count }, (_, index) => ({
      label: `web-${index}`,
      value: `/hc show web-${index}`,
    }))
    const blocks = actions(commandMenu('Open a check…', lines))
    return JSON.stringify(await buildSlackbotBlocks({ blocks }, async (line) => ({ line })))
  }
  expect(await buildMenu(5)).not.toContain('no button')
  expect(await buildMenu(6)).toContain('1 more choice has no button here')
})
