import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startWorld, type World } from '../app.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const GENERAL = 'C0GENERAL1'
const PHONE = { width: 390, height: 844 }

describe.skipIf(!hasBrowser)('the layout of the page', () => {
  const browser = useBrowser()

  const post = async (world: World, message: object) =>
    expect(await world.api('chat.postMessage', { channel: GENERAL, ...message })).toMatchObject({ ok: true })

  /** The distances of a paragraph's text from the left and right edge of the paragraph. */
  const findGaps = (page: Page, text: string) =>
    page.getByText(text).evaluate((paragraph) => {
      const range = paragraph.ownerDocument.createRange()
      range.selectNodeContents(paragraph)
      const [inner, outer] = [range.getBoundingClientRect(), paragraph.getBoundingClientRect()]
      return { left: Math.round(inner.left - outer.left), right: Math.round(outer.right - inner.right) }
    })

  it('wraps long words and code on a phone', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const word = 'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(3)
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: word } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `\`${word}\`\n\`\`\`{ "a": "${word}" }\`\`\`` },
        fields: [word, `\`${word}\``].map((text) => ({ type: 'mrkdwn', text })),
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: word }] },
    ]
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks })
    await world.api('chat.postMessage', { channel: GENERAL, text: 'After it' })
    const page = await browser.open(world.playground.url, { viewport: { width: 390, height: 1600 } })
    await page.getByText('After it').waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    const tooWide = await page
      .locator('.message *')
      .evaluateAll((elements) =>
        elements.flatMap(({ scrollWidth, clientWidth, className }) =>
          clientWidth > 1 && scrollWidth > clientWidth + 1 ? [className] : [],
        ),
      )
    expect(tooWide).toEqual([])
  })

  it('aligns each paragraph by the direction of its text', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    await post(world, { text: 'Left to right' })
    await post(world, { text: 'مرحبا بالعالم' })
    const page = await browser.open(world.playground.url)
    expect(await findGaps(page, 'Left to right')).toMatchObject({ left: 0 })
    expect(await findGaps(page, 'مرحبا بالعالم')).toMatchObject({ right: 0 })
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('مرحبا')
    const direction = await composer.evaluate(
      (field) => field.ownerDocument.defaultView?.getComputedStyle(field).unicodeBidi,
    )
    expect(direction).toBe('plaintext')
  })

  it('keeps long names of files and people inside a phone’s window', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const realName = 'Maximiliane Alexandra '.repeat(4)
    await world.slack.load({
      people: [{ name: 'max', realName }],
      channels: [{ name: 'general', members: ['max'] }],
    })
    const { people } = await world.slack.member.state()
    const member = world.slack.user(people.find(({ name }) => name === 'max')?.id ?? '')
    const file = await member.upload(`${'a'.repeat(180)}.csv`, `${'name,'.repeat(60)}\n`, 'text/csv')
    await member.say('with a file', { files: [file.id] })
    const page = await browser.open(world.playground.url, { viewport: PHONE, hasTouch: true, isMobile: true })
    await page.getByText(/^Preview a/).click()
    const preview = page.locator('.file-preview pre')
    await preview.getByText('name,').waitFor()
    expect(await preview.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    const message = page.getByRole('article').filter({ hasText: 'with a file' })
    const measure = async (selector: string) => (await message.locator(selector).boundingBox()) ?? undefined
    const [link, time, menu] = await Promise.all(['.file-link', '.stamp', '.message-menu'].map(measure))
    expect((link?.x ?? 0) + (link?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
    const isBelowMenu = (time?.y ?? 0) >= (menu?.y ?? 0) + (menu?.height ?? 0)
    expect(isBelowMenu || (time?.x ?? 0) + (time?.width ?? 0) <= (menu?.x ?? 0)).toBe(true)
    // The time is in one line.
    expect(time?.height).toBeLessThan(30)
  })

  it('grows the message field with its text, up to eight lines', async () => {
    await using world = await startWorld()
    const page = await browser.open(world.playground.url, { viewport: PHONE })
    const composer = page.getByRole('textbox', { name: 'Message' })
    const measureHeight = () => composer.evaluate((field) => field.getBoundingClientRect().height)
    const oneLine = await measureHeight()
    await composer.fill('word '.repeat(40))
    const manyLines = await measureHeight()
    expect(manyLines).toBeGreaterThan(oneLine * 2)
    expect(await composer.evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0)
    await composer.fill('word '.repeat(1000))
    expect(await measureHeight()).toBeLessThan(oneLine * 8)
  })
})
