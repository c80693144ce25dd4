import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { World } from '../../../world.ts'
import { downloadFiles, ID, readAuditLines, startWorldWithThreat } from '../world.ts'

const SCREENSHOT_PATH = `/cti/v2/resources/${ID}/screenshot.png`
const SOURCE_PATH = `/cti/v2/resources/${ID}/source`

/** Starts a server that isn't the service's and records its requests. */
async function startOtherServer() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? 'without token'}`)
    response.end('elsewhere')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address object.
  const { port } = server.address() as AddressInfo
  return { requests, port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const runVerb = async (world: World, verb: 'screenshot' | 'source') =>
  (await world.slack.member.command('/threat', `${verb} ${ID}`)).text

describe('a screenshot', () => {
  it('is sent in a DM to the person who requested it, with alt text', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const { message } = await member.command('/threat', ID)
    const { text } = await member.click(
      (await member.click(message, 'Details')).view,
      'Screenshot as a file',
      { until: 'Sent to your DMs' },
    )
    const name = `threat-${ID}-screenshot.png`
    expect(text).toContain(`Sent to your DMs: ${name}. The screenshot of exa[.]mple.`)
    const file = (await downloadFiles(world)).get(name)
    expect(file?.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(file?.altText).toBe('Screenshot of the page at exa[.]mple, taken by the service.')
    expect(file?.title).toBe(`Screenshot of threat event ${ID}`)
    // Fetched once for the card and its details, and once for the file.
    expect((await world.service.requests()).map(({ path }) => path)).toEqual([
      `/cti/v2/events/${ID}`,
      SCREENSHOT_PATH,
      SCREENSHOT_PATH,
    ])
    expect(await readAuditLines(world)).toEqual([
      `/threat: threat event ${ID}: done`,
      `/threat details: threat event ${ID}: done`,
      `/threat screenshot: threat event ${ID}: done`,
    ])
  })

  it.each([
    { createUrl: (_: string, port: number) => `http://127.0.0.1:${port}/x.png` },
    { createUrl: (_: string, port: number) => `http://localhost:${port}/x.png` },
    { createUrl: (_: string, port: number) => `http://[::1]:${port}/x.png` },
    { createUrl: (origin: string, port: number) => `http://${new URL(origin).host}@127.0.0.1:${port}/x.png` },
    { createUrl: (origin: string) => origin.replace('127.0.0.1', 'localhost') },
    { createUrl: (origin: string) => origin.replace('127.0.0.1', '2130706433').replace('http:', 'https:') },
    { createUrl: (origin: string) => origin.replace('http:', 'https:') },
    { createUrl: (origin: string) => origin.replace('//', '//user:secret@') },
    { createUrl: () => 'http://169.254.169.254/latest/meta-data/' },
    { createUrl: () => 'http://10.0.0.1/' },
    { createUrl: () => 'http://192.168.0.1/' },
    { createUrl: () => 'http://[fd00::1]/' },
    { createUrl: () => 'http://0.0.0.0/' },
    { createUrl: () => 'https://evil.example/x.png' },
    { createUrl: () => '//evil.example/x.png' },
    { createUrl: () => '/cti/v2/x.png' },
    { createUrl: () => 'data:image/png;base64,iVBORw0KGgo=' },
    { createUrl: () => 'file:///etc/passwd' },
    { createUrl: () => 'javascript:alert(1)' },
    { createUrl: (origin: string) => `blob:${origin}/x` },
    { createUrl: () => 'gopher://127.0.0.1/' },
    { createUrl: () => 'no address <!channel>' },
  ])(
    'isn’t downloaded from an address outside the service, and the response shows that address defanged ($#)',
    async ({ createUrl }) => {
      await using otherServer = await startOtherServer()
      await using world = await startWorldWithThreat((event, origin) => {
        event.observed_data.website.screenshot_resource_url = createUrl(origin, otherServer.port)
      })
      const { message } = await world.slack.member.command('/threat', ID)
      expect(JSON.stringify(message?.blocks)).not.toMatch(/slack_file|\/threat screenshot/)
      const text = await runVerb(world, 'screenshot')
      expect(text).toMatch(
        /The screenshot is at .*, which isn’t the service’s address, so Signalman doesn’t download it\./,
      )
      expect(text).not.toMatch(/https?:\/\//)
      expect(otherServer.requests).toEqual([])
      expect((await world.service.requests()).every(({ path }) => path === `/cti/v2/events/${ID}`)).toBe(true)
      expect((await downloadFiles(world)).size).toBe(0)
    },
  )

  it.each([
    { missing: 'files:read', isSent: true },
    { missing: 'files:write', isSent: false },
  ])(
    'is left out of the card without the scope $missing, which the card names',
    async ({ missing, isSent }) => {
      await using world = await startWorldWithThreat(() => undefined, {
        playground: { missingScopes: [missing] },
      })
      const listUploads = () => world.slack.deliveries('files.getUploadURLExternal')
      const countFetches = async () =>
        (await world.service.requests()).filter(({ path }) => path === SCREENSHOT_PATH).length
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { message } = await world.slack.member.command('/threat', ID)
        expect(JSON.stringify(message?.blocks)).toContain(`no screenshot: Slack hasn’t granted ${missing}`)
      }
      expect(await listUploads()).toEqual([])
      expect(await countFetches()).toBe(0)
      // Sending the screenshot as a file needs only `files:write`.
      await world.slack.member.command('/threat', `screenshot ${ID}`, {
        until: isSent ? 'Sent to your DMs' : 'the app lacks the scope files:write',
      })
    },
  )

  it('isn’t downloaded through a redirect', async () => {
    await using otherServer = await startOtherServer()
    await using world = await startWorldWithThreat()
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${otherServer.port}/x.png`
      await world.service.faults({ path: SCREENSHOT_PATH, kind: 'status', status, headers: { location } })
      expect(await runVerb(world, 'screenshot')).toContain(
        'The screenshot couldn’t be fetched. The service redirects to another address. Signalman doesn’t follow redirects.',
      )
    }
    expect(otherServer.requests).toEqual([])
  })

  const createPng = (width: number, height: number): string => {
    const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const size = Buffer.alloc(8)
    size.writeUInt32BE(width, 0)
    size.writeUInt32BE(height, 4)
    return Buffer.concat([head, size]).toString('latin1')
  }

  it.each([
    { description: 'a page', headers: { 'content-type': 'text/html' }, body: '<html>' },
    { description: 'a page labeled as a picture', headers: { 'content-type': 'image/png' }, body: '<html>' },
    {
      description: 'an SVG with a script',
      headers: { 'content-type': 'image/svg+xml' },
      body: '<svg onload="x"/>',
    },
    { description: 'nothing', headers: { 'content-type': 'image/png' }, body: '' },
    { description: 'the start of a picture', headers: { 'content-type': 'image/png' }, body: 'GIF8' },
    {
      description: 'JSON with the account’s tokens',
      headers: { 'content-type': 'application/json' },
      body: { message: 'OK', data: [{ data: 'secret' }] },
    },
  ])('isn’t accepted if it is $description', async ({ headers, body }) => {
    await using world = await startWorldWithThreat()
    await world.service.faults({ path: SCREENSHOT_PATH, kind: 'body', headers, body })
    const text = await runVerb(world, 'screenshot')
    expect(text).toContain('The service didn’t send a PNG, JPEG, or GIF image of at most 8 MB.')
    expect((await downloadFiles(world)).size).toBe(0)
  })

  it('is given up if the service sends it too slowly', async () => {
    await using world = await startWorldWithThreat(undefined, {
      serviceLimits: { timeouts: { totalMs: 2000 }, retry: { attempts: 1 } },
    })
    await world.service.faults({ path: SCREENSHOT_PATH, kind: 'drip', ms: 500 })
    const text = await runVerb(world, 'screenshot')
    expect(text).toContain('The screenshot couldn’t be fetched. The service did not answer in time.')
  })

  it('is replaced by the service’s error message if it can’t be downloaded', async () => {
    await using world = await startWorldWithThreat()
    const body = { errors: [{ code: 'NOT_FOUND', message: 'No picture was taken.' }] }
    await world.service.faults({ path: SCREENSHOT_PATH, kind: 'status', status: 404, body })
    expect(await runVerb(world, 'screenshot')).toContain('The service said: “No picture was taken.”')
  })

  it('is reported as missing if the event has none', async () => {
    await using world = await startWorldWithThreat()
    await world.service.storeThreat(ID, { domain: 'exa.mple' })
    expect(await runVerb(world, 'screenshot')).toContain(`Threat event ${ID} has no screenshot.`)
  })

  it.each([
    { description: 'claims to be huge', bytes: () => Buffer.from(createPng(100_000, 100_000), 'latin1') },
    { description: 'has no height', bytes: () => Buffer.from(createPng(100, 0), 'latin1') },
    {
      description: 'unpacks to more than the limit',
      bytes: () => gzipSync(Buffer.alloc(64 * 1024 * 1024)),
      encoding: 'gzip',
    },
    { description: 'is larger than the limit', bytes: () => Buffer.alloc(20 * 1024 * 1024, 'x') },
  ])('isn’t posted if it $description', async ({ bytes, encoding }) => {
    const servedBytes = bytes()
    const server = createServer((request, response) => {
      if (!request.url?.endsWith('.png'))
        return response.end(
          JSON.stringify({
            domain: 'exa.mple',
            observed_data: { website: { screenshot_resource_url: `http://${request.headers.host}/x.png` } },
          }),
        )
      response.writeHead(200, {
        'content-type': 'image/png',
        ...(encoding && { 'content-encoding': encoding }),
      })
      return response.end(servedBytes)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await using _ = server
    // A server that listens on TCP has an address object.
    const { port } = server.address() as AddressInfo
    await using world = await startWorldWithThreat(undefined, {
      environment: { API_BASE_URL: `http://127.0.0.1:${port}` },
    })
    expect(await runVerb(world, 'screenshot')).toContain('The service didn’t send a PNG, JPEG, or GIF image')
  })
})

describe('the source of a page', () => {
  it('is sent as a text file', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const { message } = await member.command('/threat', ID)
    await member.click((await member.click(message, 'Details')).view, 'Page source', {
      until: 'Sent to your DMs',
    })
    const file = (await downloadFiles(world)).get(`threat-${ID}-page-source.txt`)
    expect(file?.bytes.toString()).toContain('<form action="/collect.php"')
  })

  it.each([
    {
      description: 'JSON with the account’s tokens',
      headers: { 'content-type': 'application/json' },
      body: { data: ['secret'] },
    },
    {
      description: 'JSON with the account’s tokens, labeled as text',
      headers: { 'content-type': 'text/plain' },
      body: { data: ['secret'] },
    },
    { description: 'a program', headers: { 'content-type': 'text/plain' }, body: 'MZ\u0000\u0001' },
    { description: 'a picture', headers: { 'content-type': 'image/png' }, body: 'x' },
    { description: 'nothing', headers: { 'content-type': 'text/html' }, body: '' },
  ])('isn’t accepted if it is $description', async ({ headers, body }) => {
    await using world = await startWorldWithThreat()
    await world.service.faults({ path: SOURCE_PATH, kind: 'body', headers, body })
    expect(await runVerb(world, 'source')).toContain('The service didn’t send a text file of at most 4 MB.')
    expect((await downloadFiles(world)).size).toBe(0)
  })
})
