import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS: Record<string, Decoder> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** The decompressed bytes, or why they couldn't be decompressed. */
export type Decompressed = { bytes: Buffer; fault?: undefined } | { bytes?: undefined; fault: string }

/**
 * Decompresses a response. No encoding was requested, but a proxy may compress anyway. Stops at `maxBytes`, so that a small
 * response can't expand into a huge one.
 */
export async function decompress(bytes: Buffer, encoding: string, maxBytes: number): Promise<Decompressed> {
  const names = encoding.toLowerCase().split(',')
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  const [name, ...more] = applied
  if (name === undefined || bytes.length === 0) return { bytes }
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!decoder || more.length > 0) return { fault: 'compressed with an encoding that wasn’t requested' }
  try {
    return { bytes: await decoder(bytes, { maxOutputLength: maxBytes }) }
  } catch (error) {
    const isTooLarge = error instanceof RangeError
    return { fault: isTooLarge ? `larger than ${maxBytes} bytes when decompressed` : 'can’t be decompressed' }
  }
}
