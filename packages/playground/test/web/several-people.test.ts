import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import type { HostPanel } from '../../src/control/host-panel.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { parseScenario } from '../../src/scenario/scenario.ts'
import { startWorld } from '../app.ts'
import { allInputs, button, modal, mrkdwn, option, plain } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const card: Fields[] = [
  { type: 'section', text: mrkdwn('*api* is down') },
  {
    type: 'actions',
    elements: [
      {
        type: 'static_select',
        action_id: 'status',
        placeholder: plain('Status'),
        options: [option('Down', 'down'), option('Up', 'up')],
      },
      button('Acknowledge', 'ack'),
    ],
  },
]

describe.skipIf(!hasBrowser)('several people on the page', () => {
  const browser = useBrowser()

  const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
  const actAsAdmin = async (page: Page) => {
    await page.getByRole('combobox', { name: 'Acting as' }).selectOption({ label: 'Admin (admin)' })
    await page.locator('.acting .avatar').getByText('AD').waitFor()
  }

  it('can write, edit, and delete messages in two windows, and see each other’s changes', async () => {
    await using world = await startWorld()
    const memberPage = await browser.open(world.playground.url)
    const adminPage = await browser.open(world.playground.url)
    await field(memberPage).waitFor()
    await actAsAdmin(adminPage)
    await field(memberPage).fill('frist')
    await field(memberPage).press('Enter')
    const messageForAdmin = adminPage.getByRole('log').getByRole('article', { name: /^Member/ })
    await messageForAdmin.getByText('frist').waitFor()
    await messageForAdmin.hover()
    await messageForAdmin.getByRole('button', { name: 'Message actions' }).click()
    await adminPage.getByRole('menuitem', { name: 'Reply in thread' }).waitFor()
    expect(await adminPage.getByRole('menuitem', { name: 'Edit message' }).count()).toBe(0)
    await adminPage.keyboard.press('Escape')
    const messageForMember = memberPage.getByRole('log').getByRole('article', { name: /^Member/ })
    const chooseAction = async (name: string) => {
      await messageForMember.getByRole('button', { name: 'Message actions' }).press('Enter')
      await memberPage.getByRole('menuitem', { name }).press('Enter')
    }
    await chooseAction('Edit message')
    await memberPage.getByRole('textbox', { name: 'Edit message' }).fill('first')
    await memberPage.getByRole('textbox', { name: 'Edit message' }).press('Enter')
    await messageForAdmin.getByText('first').waitFor()
    await messageForAdmin.getByText('(edited)').waitFor()
    await chooseAction('Delete message')
    await memberPage
      .getByRole('dialog', { name: 'Delete message' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await messageForAdmin.waitFor({ state: 'detached' })
    // After a reload, each window still acts as the same person.
    await adminPage.reload()
    await adminPage.locator('.acting .avatar').getByText('AD').waitFor()
    await memberPage.reload()
    await memberPage.locator('.acting .avatar').getByText('ME').waitFor()
  })

  it('can react to and pin a message; others see this and can add their own reactions', async () => {
    await using world = await startWorld()
    const memberPage = await browser.open(world.playground.url)
    const adminPage = await browser.open(world.playground.url)
    await field(memberPage).waitFor()
    await actAsAdmin(adminPage)
    await field(memberPage).fill('shipped')
    await field(memberPage).press('Enter')
    const messageForMember = memberPage.getByRole('log').getByRole('article', { name: /^Member/ })
    const chooseAction = async (name: string) => {
      await messageForMember.getByRole('button', { name: 'Message actions' }).press('Enter')
      await memberPage.getByRole('menuitem', { name }).press('Enter')
    }
    await chooseAction('Add a reaction')
    await memberPage.getByRole('textbox', { name: 'Emoji name' }).fill('tada')
    await memberPage
      .getByRole('dialog', { name: 'Add a reaction' })
      .getByRole('button', { name: 'tada' })
      .waitFor()
    expect(await findAxeViolations(memberPage)).toEqual([])
    await memberPage.keyboard.press('Enter')
    const messageForAdmin = adminPage.getByRole('log').getByRole('article', { name: /^Member/ })
    await messageForAdmin.getByRole('button', { name: 'tada, 1: Member' }).click()
    await messageForMember.getByRole('button', { name: 'tada, 2: Member, Admin', pressed: true }).click()
    await messageForAdmin.getByRole('button', { name: 'tada, 1: Admin', pressed: true }).waitFor()
    await chooseAction('Pin')
    await messageForAdmin.getByText('Pinned').waitFor()
    await chooseAction('Unpin')
    await messageForAdmin.getByText('Pinned').waitFor({ state: 'detached' })
    expect(await findAxeViolations(adminPage)).toEqual([])
  })

  it('can join and leave a channel, and its members see this', async () => {
    await using world = await startWorld()
    await world.api('conversations.create', { name: 'not-yet', is_private: true })
    await world.slack.admin.createChannel('incidents')
    const page = await browser.open(world.playground.url)
    await field(page).waitFor()
    await page.getByRole('button', { name: 'Join a channel' }).press('Enter')
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['#incidents'])
    await page.getByRole('menuitem', { name: '#incidents' }).press('Enter')
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /incidents/ })
      .click()
    await page.getByRole('article').filter({ hasText: 'has joined the channel' }).waitFor()
    await page.getByRole('button', { name: 'This channel' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Leave #incidents' }).press('Enter')
    await page.getByRole('heading', { name: '#incidents', level: 1 }).waitFor({ state: 'detached' })
    await world.slack.admin.see('has left the channel')
  })

  it('can switch channels, send commands, and use menus, buttons, and forms by keyboard', async () => {
    await using world = await startWorld()
    world.setHandler(({ body }) => {
      if (body.type === 'block_actions' && JSON.stringify(body.actions).includes('"ack"'))
        void world.api('views.open', {
          trigger_id: body.trigger_id,
          view: modal('A form', allInputs.slice(0, 3)),
        })
      return body.command ? { json: { response_type: 'ephemeral', text: 'x', blocks: card } } : {}
    })
    const page = await browser.open(world.playground.url)
    await field(page).waitFor()
    const keys = page.keyboard
    await keys.press('Control+k')
    await page.getByRole('searchbox', { name: 'Channel or person' }).waitFor()
    await keys.type('opera')
    await page.getByRole('menuitem', { name: '#operations' }).waitFor()
    await keys.press('ArrowDown')
    await keys.press('Enter')
    await page.getByRole('heading', { name: '#operations', level: 1 }).waitFor()
    await field(page).focus()
    await keys.type('/hc')
    await keys.press('Escape')
    await keys.press('Enter')
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor()
    /** Presses Shift+Tab until an element with that name has the focus. Gives up after 30 times. */
    const focusBackwards = async (name: string) => {
      for (let step = 0; step < 30; step += 1) {
        await keys.press('Shift+Tab')
        const focused = await page.evaluate<string>(
          'document.activeElement.ariaLabel ?? document.activeElement.textContent',
        )
        if (focused.includes(name)) return
      }
      throw new Error(`Shift+Tab didn't reach ${name}.`)
    }
    await focusBackwards('Acknowledge')
    await focusBackwards('Status')
    await keys.press('ArrowDown')
    await page.getByRole('option', { name: 'Up' }).waitFor()
    await keys.press('ArrowDown')
    await keys.press('Enter')
    await world.eventually('the choice', () =>
      world.sent.some(({ body }) => JSON.stringify(body).includes('"up"')),
    )
    await page.getByRole('button', { name: 'Acknowledge' }).focus()
    await keys.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'A form' })
    await dialog.waitFor()
    await keys.type('typed at once')
    expect(await dialog.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe(
      'typed at once',
    )
    await keys.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Acknowledge')
  })

  it('can record their actions as a scenario', async () => {
    await using world = await startWorld(() => ({ text: 'ok' }))
    const page = await browser.open(world.playground.url)
    await page.getByRole('button', { name: 'Inspector' }).click()
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Stop and save' }).waitFor()
    await field(page).fill('/hc list')
    await field(page).press('Enter')
    await world.eventually('the command', () => world.sent.length === 1)
    await field(page).fill('thank you')
    await field(page).press('Enter')
    await page.getByRole('log').getByText('thank you').waitFor()
    // A reload doesn't stop the recording.
    await page.reload()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Stop and save' }).click()
    const scenario = parseScenario(await readFile(await (await saved).path(), 'utf8'))
    expect(scenario.steps).toMatchObject([
      { do: 'command', user: 'member', channel: 'general', command: '/hc', text: 'list' },
      { do: 'say', user: 'member', text: 'thank you' },
    ])
    await page.getByRole('button', { name: 'Record' }).waitFor()
  })

  it('can use a panel added by the program that started the playground', async () => {
    const faults: HostPanel = {
      name: 'Faults',
      blocks: (user) => [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `*A check*, ${user}.` },
          accessory: button('Take it down', 'down'),
        },
      ],
      press: () => ({ statusText: 'It is down.', draft: '/hc now' }),
    }
    await using world = await startWorld(undefined, { panels: [faults] })
    const page = await browser.open(world.playground.url)
    await page.getByRole('button', { name: 'Faults' }).click()
    const panel = page.getByRole('complementary', { name: 'Faults' })
    await panel.getByText('U0MEMBER01').waitFor()
    await panel.getByRole('button', { name: 'Take it down' }).click()
    await panel.getByText('It is down.').waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('/hc now')
    expect(await findAxeViolations(page)).toEqual([])
  })
})
