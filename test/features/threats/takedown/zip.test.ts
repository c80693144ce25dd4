import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { buildZip } from '../../../../src/features/threats/takedown/zip.ts'
import { createRandom, readSeed } from '../../../random.ts'

const TIME = new Date('2026-11-18T14:00:00Z')
/** The first entry's time and date in MS-DOS format (APPNOTE.TXT 6.3.10, section 4.4.6). */
const readTimestamp = (zip: Buffer): number => zip.readUInt32LE(10)
const formatNoon = (year: number, month: number, day: number): number =>
  ((year - 1980) << 25) | (month << 21) | (day << 16) | (12 << 11)

describe('a ZIP file', () => {
  it('contains every entry unchanged, including empty entries and entries in many chunks', async () => {
    const seed = readSeed()
    const random = createRandom(seed)
    const largeBody = Buffer.from(Array.from({ length: 300_000 }, () => random.below(256)))
    const entries = [
      { name: 'a.txt', body: Buffer.from('Text, and ä 漢') },
      { name: 'empty.txt', body: Buffer.alloc(0) },
      { name: 'exact.txt', body: largeBody.subarray(0, 131_072) },
      { name: 'large.csv', body: largeBody },
    ]
    const unzipped = unzipSync(await buildZip(entries, TIME))
    expect(Object.keys(unzipped)).toEqual(entries.map(({ name }) => name))
    for (const { name, body } of entries)
      expect(body.equals(unzipped[name] ?? Buffer.from('none')), `${name}, seed ${seed}`).toBe(true)
    expect(strFromU8(unzipped['a.txt'] ?? new Uint8Array())).toBe('Text, and ä 漢')
  })

  it('is identical for the same entries and date', async () => {
    const entries = [{ name: 'a.txt', body: Buffer.from('a') }]
    const zip = await buildZip(entries, TIME)
    expect(zip.equals(await buildZip(entries, new Date('2026-11-18T23:59:59Z')))).toBe(true)
    expect(readTimestamp(zip)).toBe(formatNoon(2026, 11, 18))
  })

  it.each([
    { day: '1971-03-04', year: 1980 },
    { day: '9999-03-04', year: 2099 },
  ])('uses the nearest supported year for $day: $year', async ({ day, year }) => {
    const zip = await buildZip([{ name: 'a.txt', body: Buffer.from('a') }], new Date(day))
    expect(readTimestamp(zip) >>> 0).toBe(formatNoon(year, 3, 4) >>> 0)
  })

  it.each([
    '',
    '..',
    '../a.txt',
    '/a.txt',
    'a/b.txt',
    'a\\b.txt',
    'C:a.txt',
    'a.txt\n',
    'a\u202etxt.exe',
    '.a.txt',
  ])('rejects an entry named %j', async (name) => {
    await expect(buildZip([{ name, body: Buffer.from('a') }], TIME)).rejects.toThrow('isn’t a valid name')
  })
})
