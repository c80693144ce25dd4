import { type ClientRequest, request as startRequest } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { findFreePort } from '../free-port.ts'
import { runSignalman } from '../process.ts'
import { reply, startVendor } from '../service/vendor.ts'

const POSTS = 100
const MIB = 1024 * 1024
/** What each request sends of the three mebibytes that it announces. */
const SENT_MIB = 2

/** Reads the process's resident and external memory, in MiB. */
async function readMemory(url: string): Promise<{ resident: number; outsideHeap: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / MIB
  return {
    resident: read('process_resident_memory_bytes'),
    outsideHeap: read('nodejs_external_memory_bytes'),
  }
}

/** Sends the start of a request, with headers like Slack's, and then nothing more. */
function stall(url: string): ClientRequest {
  const { hostname, port } = new URL(url)
  const post = startRequest({
    hostname,
    port,
    method: 'POST',
    path: '/slack/events',
    agent: false,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': 3 * MIB,
      'x-slack-request-timestamp': Math.floor(Date.now() / 1000),
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
    },
  })
  // The app closes most of these connections to limit its memory.
  post.on('error', () => undefined).on('response', (answer) => answer.resume())
  post.write(Buffer.alloc(SENT_MIB * MIB))
  return post
}

it(`keeps less than half of what ${POSTS} stalled unsigned POST requests have sent, and frees it afterward`, async () => {
  using folder = makeFolder()
  await using slack = await startVendor((response) => reply(response, { ok: true }))
  const port = await findFreePort()
  await using app = runSignalman(['serve'], {
    env: {
      SLACK_SIGNING_SECRET: 'stalled-signing-secret',
      SLACK_BOT_TOKEN: 'xoxb-stalled',
      SLACK_API_URL: `${slack.url}/api/`,
      API_BASE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: `sqlite:${join(folder.path, 'signalman.db')}`,
      PORT: String(port),
      HOST: '127.0.0.1',
    },
    cwd: folder.path,
  })
  const url = `http://127.0.0.1:${port}`
  await app.waitFor(/"url":"/)
  const idle = await readMemory(url)
  for (let round = 0; round < 2; round += 1) {
    const posts = Array.from({ length: POSTS }, () => stall(url))
    // By the end, 200 MiB were sent. The app buffers at most 8 MiB of them.
    await expect.poll(() => posts.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(POSTS / 2)
    const during = await readMemory(url)
    expect(during.resident - idle.resident).toBeLessThan((POSTS * SENT_MIB) / 2)
    for (const post of posts) post.destroy()
    await expect.poll(async () => (await readMemory(url)).outsideHeap).toBeLessThan(idle.outsideHeap + 2)
  }
})
