import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import { openList } from '../../src/browser/fill.ts'
import { isFields } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import { allElements, allInputs, displayBlocks, modal, mrkdwn } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

/** Handles requests: publishes a Home, opens a modal for `/hc`, and responds to its submission with an error for the first field. */
function answerRequests(world: World): void {
  world.setHandler(({ body }) => {
    const event = isFields(body.event) ? body.event : {}
    const home = { type: 'home', blocks: displayBlocks }
    if (event.type === 'app_home_opened') void world.api('views.publish', { user_id: event.user, view: home })
    if (body.command)
      void world.api('views.open', { trigger_id: body.trigger_id, view: modal('Every input', allInputs) })
    if (body.type === 'view_submission')
      return { json: { response_action: 'errors', errors: { text: 'That is taken.' } } }
    return {}
  })
}

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

  async function openPage(world: World): Promise<Page> {
    const page = await browser.open(world.playground.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return page
  }

  it('has no violations in a conversation', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    await postAllBlocks(world)
    const page = await openPage(world)
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

  it('has no violations in forms, errors, and menus', async () => {
    await using world = await startWorld()
    answerRequests(world)
    const page = await openPage(world)
    await page.getByRole('textbox', { name: 'Message' }).fill('/hc')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Every input' })
    await dialog.waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('taken')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('That is taken.').waitFor()
    await (await openList(dialog, 'One')).getByRole('option', { name: 'A' }).waitFor()
    expect(await findAxeViolations(page)).toEqual([])
  })

  it('has no violations in App Home, with and without content', async () => {
    await using world = await startWorld()
    const page = await openPage(world)
    await page.getByRole('button', { name: /Home$/ }).click()
    await page.getByText('Nothing here yet').waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    answerRequests(world)
    await world.api('views.publish', {
      user_id: 'U0MEMBER01',
      view: { type: 'home', blocks: [{ type: 'section', text: mrkdwn('*All* well') }] },
    })
    await page.getByText('All well').waitFor()
    expect(await findAxeViolations(page)).toEqual([])
  })
})
