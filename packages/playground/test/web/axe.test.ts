import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import { startWorld, type World } from '../app.ts'
import { allElements, displayBlocks } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

async function postAllBlocks(world: World): Promise<void> {
  const post = (blocks: object[]) =>
    world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', blocks })
  await post(displayBlocks)
  await post(allElements)
  const { member } = world.slack
  const file = await member.upload('a.csv', 'name,status\nweb,up\n', 'text/csv')
  const { ts } = await member.say('with a file, *bold* and `code`', { files: [file.id] })
  await member.say('a reply', { threadTs: ts })
  const ephemeral = {
    channel: 'C0GENERAL1',
    user: 'U0MEMBER01',
    text: 'only you: <https://example.com|a link>',
  }
  await world.api('chat.postEphemeral', ephemeral)
}

describe.skipIf(!hasBrowser)('the page, checked by axe', () => {
  const browser = useBrowser()

  it('has no violations in a conversation, with its panels', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    await postAllBlocks(world)
    const page = await browser.open(world.playground.url)
    await page.getByRole('log').getByText('only you').waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByText('Preview a.csv').click()
    await page.getByText('name,status').waitFor()
    await page.getByRole('button', { name: '1 reply' }).click()
    await page.getByRole('button', { name: 'Inspector' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('/')
    await page.getByRole('option', { name: '/hc' }).waitFor()
    expect(await findAxeViolations(page)).toEqual([])
  })
})
