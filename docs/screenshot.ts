// Takes the pictures of the README and the docs from the playground, with the seeded sandbox as the service: `npm run screenshot`.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { requestOrder, startDemo } from '@signalman/demo'
import { buildPage, chromiumPath, openBrowser, type Page } from '@signalman/playground/browser'
import { createDriver } from '@signalman/playground/driver'
import { EVERYONE, type GrantableRole, type Subject } from '../src/domain/roles.ts'
import { addGrant, removeGrant } from '../test/give-role.ts'
import { startWorld, WORKSPACE, type World } from '../test/world.ts'

/** A threat event's card fits into both sizes. */
const CARD_SIZES = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const
/** A seeded event with a look-alike domain. */
const THREAT_EVENT_ID = '7e57ed00-0000-4000-8000-000000000002'

/** The person whose page the pictures show, and one more. */
const MEMBER = 'U0MEMBER01'
const ADMIN = 'U0ADMIN001'

/** The other pictures. `prepare` sets up the data, and `show` opens what the picture shows. */
const PICTURES: readonly {
  name: string
  prepare?: (world: World) => Promise<unknown>
  show: (page: Page) => Promise<void>
}[] = [
  {
    name: 'cert-order',
    prepare: ({ slack }) => requestOrder(slack.admin),
    show: (page) => typeCommand(page, '/cert-order show 1', 'Review and approve'),
  },
  {
    name: 'access',
    prepare: async ({ app }) => {
      for (const role of ['operator', 'approver', 'admin'] as const)
        await removeGrant(app.store, WORKSPACE, role, EVERYONE)
      const give = (role: GrantableRole, subject: Subject, endsAt?: Date) =>
        addGrant(app.store, WORKSPACE, role, subject, ADMIN, new Date(), endsAt ? { endsAt } : {})
      const inTwoWeeks = new Date(Date.now() + 14 * 86_400_000)
      await give('admin', { kind: 'user', id: MEMBER })
      await give('approver', { kind: 'user', id: ADMIN }, inTwoWeeks)
      await give('operator', { kind: 'group', id: 'S0ONCALL01' })
      await give('operator', { kind: 'user', id: 'U0LEFT0001' })
    },
    show: (page) => typeCommand(page, '/hc access', 'roles given'),
  },
  {
    name: 'audit',
    prepare: async ({ slack }) => {
      const inOperations = { channel: 'operations' }
      await requestOrder(slack.admin)
      await slack.member.command('/threat', `take ${THREAT_EVENT_ID}`, inOperations)
      await slack.member.command('/threat', `note ${THREAT_EVENT_ID} Asked the registrar`, inOperations)
    },
    show: (page) => typeCommand(page, '/hc audit', 'newest first'),
  },
  {
    name: 'home',
    prepare: ({ slack }) => requestOrder(slack.admin),
    show: async (page) => {
      await page.getByRole('button', { name: 'Signalman Home' }).click()
      await page.getByText('Orders waiting for your decision, oldest first').waitFor()
    },
  },
]

async function typeCommand(page: Page, line: string, until: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(line)
  await composer.press('Enter')
  await page.getByText(until).last().waitFor()
}

/** Waits for the first poll, because checks that are down before it aren't reported. */
async function waitForFirstPoll({ app }: World): Promise<void> {
  for (;;) {
    const { polls = 0 } =
      (await app.store.watching.history.findPoll({ workspaceId: WORKSPACE, environment: 'production' })) ?? {}
    if (polls > 0) return
    await wait(50)
  }
}

type ColorScheme = 'light' | 'dark'

/** Takes the pictures of the demo: `/hc`, and for the README, a card next to an approval on a phone. */
async function takeDemoPictures(colorScheme: ColorScheme): Promise<void> {
  await using demo = await startDemo({ port: 0, logLevel: 'error' })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme })
  await page.goto(demo.page)
  const panel = page.getByRole('complementary', { name: 'Start here' })
  await panel.getByText('Something breaks').waitFor()
  const { admin } = createDriver(demo.page)
  await admin.say('Is checkout slow for anyone else?', { channel: 'operations' })
  await panel.getByRole('button', { name: 'Stop a server' }).click()
  const card = page.locator('.message').filter({ hasText: 'Shop checkout is down' })
  // The card is edited once Signalman knows whom it pages next.
  await card.getByText('Pages').waitFor()
  await panel.getByRole('button', { name: 'Close Start here' }).click()
  await page.getByRole('button', { name: 'I’m on it' }).click()
  await card.getByText('has been on it since').waitFor()
  await typeCommand(page, 'Rolling back this morning’s release.', 'Rolling back')
  await admin.say('Thanks! I’ll tell support.', { channel: 'operations' })
  await page.getByText('I’ll tell support').waitFor()
  // Without the pointer, the message's menu is hidden.
  await page.mouse.move(0, 0)
  // As wide as the column beside the phone, without the sidebar.
  await page.setViewportSize({ width: 700, height: 800 })
  const channelPicture = await page.screenshot()
  await page.setViewportSize({ width: 1280, height: 800 })
  await typeCommand(page, '/hc', 'The service answered')
  await page.screenshot({ path: join(import.meta.dirname, `health-checks-${colorScheme}.png`) })
  await page.close()

  const phone = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme })
  await phone.goto(demo.page)
  await phone.getByRole('button', { name: 'Let a colleague order' }).click()
  // The panel folds to its answer, so it doesn't cover the order.
  await phone.getByRole('button', { name: 'Review and approve' }).last().waitFor()
  await phone.getByRole('button', { name: 'Review and approve' }).last().click()
  await phone.getByRole('dialog').getByText('shop.example.com').first().waitFor()
  await takeHeroPicture(channelPicture, await phone.screenshot(), colorScheme)
  await phone.close()
}

/** The first picture of the README: an outage card in its channel, next to an approval on a phone as high. */
async function takeHeroPicture(channel: Buffer, phone: Buffer, colorScheme: ColorScheme): Promise<void> {
  const toUrl = (picture: Buffer) => `data:image/png;base64,${picture.toString('base64')}`
  const isDark = colorScheme === 'dark'
  const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, deviceScaleFactor: 1 })
  const frame = `border: 1px solid ${isDark ? '#3d4a52' : '#c8d2d7'}; box-shadow: 0 10px 34px rgb(8 20 26 / 22%)`
  await page.setContent(`
    <body style="display: flex; gap: 48px; align-items: center; justify-content: center; height: 100vh; margin: 0; background: ${isDark ? '#0d1114' : '#eef2f4'}">
      <img alt="" src="${toUrl(channel)}" style="${frame}; border-radius: 12px; height: 800px">
      <img alt="" src="${toUrl(phone)}" style="${frame}; border-radius: 28px; height: 800px">
    </body>`)
  await page.screenshot({ path: join(import.meta.dirname, `card-and-approval-${colorScheme}.png`) })
  await page.close()
}

const executable = chromiumPath()
if (!executable) throw new Error('No Chromium was found. Set CHROMIUM_PATH.')

await buildPage()
const browser = await openBrowser(executable)
for (const colorScheme of ['light', 'dark'] as const) await takeDemoPictures(colorScheme)
for (const colorScheme of ['light', 'dark'] as const) {
  await using world = await startWorld({
    checks: [{ name: 'Bank open API', target: 'https://api.bank.example/health', status: 'HEALTHY' }],
    environment: { WATCH_INTERVAL_SECONDS: '1' },
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 620 }, colorScheme })
  await page.goto(world.playground.url)
  await typeCommand(page, '/hc watch all', 'now watches')
  await waitForFirstPoll(world)
  const [check] = await world.service.checksNamed('Bank open API')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  await page.getByText('Bank open API is down').first().waitFor()
  await page.getByRole('button', { name: 'I’m on it' }).click()
  await page
    .getByText(/has been on it since/)
    .first()
    .waitFor()
  await page.screenshot({ path: join(import.meta.dirname, `outage-${colorScheme}.png`) })
  await page.close()
}

for (const viewport of CARD_SIZES) {
  await using world = await startWorld({ sandbox: { seed: true } })
  const page = await browser.newPage({ viewport, colorScheme: 'light', deviceScaleFactor: 1 })
  await page.goto(world.playground.url)
  await typeCommand(page, `/threat ${THREAT_EVENT_ID}`, 'Registered')
  await page.screenshot({ path: join(import.meta.dirname, `threat-card-${viewport.width}.png`) })
  await page.close()
}

for (const { name, prepare, show } of PICTURES)
  for (const colorScheme of ['light', 'dark'] as const) {
    await using world = await startWorld({ sandbox: { seed: true } })
    await prepare?.(world)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme })
    await page.goto(world.playground.url)
    await show(page)
    await page.screenshot({ path: join(import.meta.dirname, `${name}-${colorScheme}.png`) })
    await page.close()
  }

// The image for links to the repository. It has to be uploaded in the repository's settings.
const outage = await readFile(join(import.meta.dirname, 'outage-light.png'), 'base64')
const preview = await browser.newPage({ viewport: { width: 1280, height: 640 }, deviceScaleFactor: 1 })
await preview.setContent(`
  <body style="margin: 0; background: #12303a; color: #fff; font: 28px/1.4 'DejaVu Sans', sans-serif; overflow: hidden">
    <div style="padding: 56px 64px 32px">
      <h1 style="margin: 0 0 8px; font-size: 64px">Signalman</h1>
      Health checks, threat events, and certificate orders in Slack. Self-hosted.
      <span style="display: block; font-size: 16px">Shown in a local stand-in for Slack.</span>
    </div>
    <img alt="" src="data:image/png;base64,${outage}" style="margin-left: 64px; border-radius: 12px; width: 1152px">
  </body>`)
await preview.screenshot({ path: join(import.meta.dirname, 'social-preview.png') })
await browser.close()
