import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { decodeImage, decodePageSource } from '../../src/service/screenshots.ts'
import { decodeBody } from './reading.ts'
import { catchFailure, createClient, PRODUCTION, startVendor, TOKEN } from './vendor.ts'

const fromHex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

const PNG = fromHex('89504e470d0a1a0a 0000000d 49484452 00000140 000000c8 0806000000')
const GIF = fromHex('474946383961 4001 c800 f00000')
const JPEG = fromHex(
  'ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 00c8 0140 03012200021101031101',
)

describe('a picture', () => {
  it.each([
    { type: 'png', bytes: PNG },
    { type: 'gif', bytes: GIF },
    { type: 'jpg', bytes: JPEG },
  ])('is recognized by its bytes: $type', ({ type, bytes }) => {
    for (const mediaType of ['image/png', 'image/x-unknown', '', 'application/octet-stream'])
      expect(decodeBody(decodeImage, bytes, mediaType)).toEqual({ bytes, type })
  })

  it.each<[name: string, bytes: Buffer, mediaType: string, fault: string]>([
    ['labeled as something else', PNG, 'text/html', 'its media type isn’t an image'],
    ['in another format', fromHex('52494646'), 'image/webp', 'not a PNG'],
    ['cut off', PNG.subarray(0, 3), 'image/png', 'not a PNG'],
    ['an SVG with a script', Buffer.from('<svg onload="x"/>'), 'image/svg+xml', 'not a PNG'],
  ])('is rejected if it is %s', (_, bytes, mediaType, fault) => {
    expect(() => decodeBody(decodeImage, bytes, mediaType)).toThrow(fault)
  })

  it.each([
    { type: 'png', bytes: PNG, width: 16, height: 20, read: 'UInt32BE' },
    { type: 'gif', bytes: GIF, width: 6, height: 8, read: 'UInt16LE' },
    { type: 'jpg', bytes: JPEG, width: 27, height: 25, read: 'UInt16BE' },
  ] as const)('is refused if it has no pixels, or more than anybody can show: $type', (image) => {
    for (const [width, height, isShown] of [
      [1280, 30_000, true],
      [1, 1, true],
      [10_000, 10_000, true],
      [10_000, 10_001, false],
      [60_000, 60_000, false],
      [0, 200, false],
      [320, 0, false],
    ] as const) {
      const bytes = Buffer.from(image.bytes)
      bytes[`write${image.read}`](width, image.width)
      bytes[`write${image.read}`](height, image.height)
      const decode = () => decodeBody(decodeImage, bytes).type
      if (isShown) expect(decode()).toBe(image.type)
      else expect(decode).toThrow('pixels')
    }
    const cut = image.bytes.subarray(0, Math.max(image.width, image.height) + 1)
    expect(() => decodeBody(decodeImage, cut)).toThrow('cut off')
  })

  it('finds the size of a JPEG behind other segments, of which one looks like its header', () => {
    const tables = fromHex('ffc4 000b 08 ffff ffff 03012200')
    const bytes = Buffer.concat([JPEG.subarray(0, 20), tables, JPEG.subarray(20)])
    expect(decodeBody(decodeImage, bytes)).toEqual({ bytes, type: 'jpg' })
  })

  it('is accepted or rejected without crashing, for any bytes', () => {
    const starts = fc.constantFrom(
      PNG.subarray(0, 12),
      GIF.subarray(0, 6),
      JPEG.subarray(0, 4),
      Buffer.alloc(0),
    )
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 600 }), (start, rest) => {
        const bytes = Buffer.concat([start, rest])
        try {
          expect(decodeBody(decodeImage, bytes).bytes).toEqual(bytes)
        } catch (error) {
          expect(error).toHaveProperty('name', 'Unreadable')
        }
      }),
    )
  })
})

describe('the source of a page', () => {
  it.each([
    { text: '<html>{"a":1}', mediaType: 'text/html' },
    { text: '<html>{"a":1}', mediaType: 'application/xhtml+xml' },
    { text: `<p>${'[],'.repeat(400_000)}`, mediaType: '' },
  ])('can be any text with the content type “$mediaType”', ({ text, mediaType }) => {
    const bytes = Buffer.from(text)
    const source = decodeBody(decodePageSource, bytes, mediaType)
    expect(source.bytes.equals(bytes)).toBe(true)
    expect(source.type).toBe('txt')
  })

  it.each([
    { bytes: Buffer.from('{"data":["token"]}'), mediaType: 'text/plain', fault: 'JSON' },
    { bytes: Buffer.from(' [1]'), mediaType: '', fault: 'JSON' },
    { bytes: Buffer.from('\ufeff\n{}'), mediaType: '', fault: 'JSON' },
    { bytes: Buffer.from('<p>'), mediaType: 'application/json', fault: 'its media type isn’t text' },
    { bytes: Buffer.from('x'), mediaType: 'image/png', fault: 'its media type isn’t text' },
    { bytes: Buffer.from('a\u0000b'), mediaType: 'text/plain', fault: 'not text' },
    { bytes: Buffer.alloc(0), mediaType: 'text/html', fault: 'empty' },
  ])('is rejected: $fault', ({ bytes, mediaType, fault }) => {
    expect(() => decodeBody(decodePageSource, bytes, mediaType)).toThrow(fault)
  })
})

it('refuses a page source with the caller’s token, which only its text is without', () => {
  const body = { bytes: Buffer.from('authorization: Bearer T0k3n'), mediaType: 'text/plain' }
  const issues = new ParseIssueCollector()
  const text = () => 'authorization: Bearer [token]'
  expect(() => decodePageSource({ ...body, text }, issues)).toThrow('has the token')
})

describe('a download', () => {
  const startPictureServer = () =>
    startVendor((response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG))

  it('requests the given address with the token', async () => {
    await using vendor = await startPictureServer()
    await using service = createClient(`${vendor.url}/gate`)
    const { threats } = service.with(PRODUCTION)
    const address = `${vendor.url}/a%20b/x.png?size=full#top`
    expect((await threats.screenshot(address)).bytes.equals(PNG)).toBe(true)
    expect(vendor.seen).toMatchObject([
      {
        url: '/a%20b/x.png?size=full',
        headers: { authorization: `Bearer ${TOKEN}`, accept: 'image/png, image/jpeg, image/gif' },
      },
    ])
  })

  it('doesn’t follow a link to another origin', async () => {
    await using vendor = await startPictureServer()
    await using other = await startPictureServer()
    const { threats } = vendor.api()
    const { host, port } = new URL(vendor.url)
    const otherPort = new URL(other.url).port
    const foreignAddresses = [
      `${other.url}/x.png`,
      `http://localhost:${otherPort}/x.png`,
      `http://[::1]:${otherPort}/x.png`,
      `http://${host}@127.0.0.1:${otherPort}/x.png`,
      vendor.url.replace('127.0.0.1', 'localhost'),
      `https://2130706433:${port}`,
      vendor.url.replace('//', '//user:secret@'),
      `blob:${vendor.url}`,
      vendor.url.replace('http:', 'https:'),
      ...['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://192.168.0.1/'],
      ...['http://[fd00::1]/', 'http://0.0.0.0/', 'https://evil.example/x.png', '//evil.example/x.png'],
      ...['/x.png', 'data:image/png;base64,iVBORw0KGgo=', 'file:///etc/passwd', 'javascript:alert(1)'],
      ...['gopher://127.0.0.1/', 'no address <!channel>', ''],
    ]
    for (const address of foreignAddresses)
      expect((await catchFailure(threats.screenshot(address))).message).toContain('so nothing was sent')
    expect([...vendor.seen, ...other.seen]).toEqual([])
  })

  it('is rejected above its own size limit', async () => {
    const big = Buffer.alloc(9 * 1024 * 1024, 'x')
    await using vendor = await startVendor((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(big)
    })
    const { threats } = vendor.api()
    for (const [limit, download] of [
      [4_194_304, threats.pageSource],
      [8_388_608, threats.screenshot],
    ] as const) {
      const failure = await catchFailure(download(`${vendor.url}/plain`))
      expect(failure).toMatchObject({ kind: 'unreadable' })
      expect(failure.message).toContain(`larger than ${limit} bytes`)
    }
  })
})
