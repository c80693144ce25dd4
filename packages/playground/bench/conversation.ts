// Measures how fast the page shows a long conversation: `node bench/conversation.ts [MESSAGES]`. Prints the time until the last message is
// on the screen, and the browser's CPU time for each message that is posted while the page is open.
import { setTimeout } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'
import { buildPage } from '../src/browser/build-page.ts'
import { chromiumPath, openBrowser } from '../src/browser/chromium.ts'
import { startPlayground } from '../src/program/start.ts'

/** The number of messages before the page is opened. */
const MESSAGES = Number(process.argv[2] ?? 5000)
/** The number of messages posted while the page is open. */
const LIVE_MESSAGES = 50
const GENERAL = 'C0GENERAL1'

async function readCpuMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
}

const executable = chromiumPath()
if (!executable) throw new Error('No Chromium was found. Set CHROMIUM_PATH to its path.')
await buildPage()
await using playground = await startPlayground({
  appUrl: 'http://127.0.0.1:9',
  signingSecret: 'bench',
  manifestPath: new URL('../test/manifest.yml', import.meta.url).pathname,
  rate: 'off',
  messages: Array.from({ length: MESSAGES }, (_, nth) => ({
    channel: GENERAL,
    user: nth % 3 === 0 ? 'U0ADMIN001' : 'U0MEMBER01',
    text: `message ${nth}: *bold*, \`code\` and <https://example.com/${nth}|a link>`,
  })),
})

async function post(text: string): Promise<void> {
  const response = await fetch(`${playground.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${playground.botToken}` },
    body: JSON.stringify({ channel: GENERAL, text }),
  })
  if (!response.ok) throw new Error(`chat.postMessage: ${response.status}`)
  await response.arrayBuffer()
}

const browser = await openBrowser(executable)
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(playground.url)
  const last = page.getByRole('log').getByText(`message ${MESSAGES - 1}:`)
  await last.waitFor()
  // Measures a reload, so that the time doesn't include the start of the browser.
  await page.reload({ waitUntil: 'commit' })
  await last.waitFor()
  const shownMs = await page.evaluate<number>('performance.now()')
  const session = await page.context().newCDPSession(page)
  // Measures CPU time, because elapsed time depends on the machine's load.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await readCpuMs(session)
  for (let nth = 0; nth < LIVE_MESSAGES; nth += 1) {
    await post(`live ${nth}`)
    // Without the pause, the page could render two messages together. Polling for the message would add CPU time.
    await setTimeout(150)
  }
  await page
    .getByRole('log')
    .getByText(`live ${LIVE_MESSAGES - 1}`, { exact: true })
    .waitFor()
  const eachMs = ((await readCpuMs(session)) - before) / LIVE_MESSAGES
  const renderedCount = await page.getByRole('article').count()
  process.stdout.write(
    `${MESSAGES} messages: last one on screen after ${shownMs.toFixed(0)} ms, ${renderedCount} rendered; each new message: ${eachMs.toFixed(1)} ms of browser CPU\n`,
  )
} finally {
  await browser.close()
}
