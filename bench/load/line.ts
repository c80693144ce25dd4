import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One kept-alive connection that carries one request at a time. */
export interface Line extends Disposable {
  /** Writes the request, and resolves with the status once the whole answer is there. Throws when the line is cut. */
  send(request: Buffer): Promise<number>
}

/** As little as HTTP allows: the load must never be what is measured. */
export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let text = ''
  let waiting: PromiseWithResolvers<number> | undefined

  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    if (!isWhole(text)) return
    const status = Number(text.slice(9, 12))
    text = ''
    waiting?.resolve(status)
    waiting = undefined
  })
  const cut = (error?: Error): void => waiting?.reject(error ?? new Error('the server closed the connection'))
  socket.on('error', cut).on('close', () => cut())

  return {
    send(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Whether `text` is an answer with all of its body, sized or chunked. */
export function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const size = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
  const body = text.slice(end + 4)
  if (size !== undefined) return body.length >= Number(size)
  return !/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end)) || /(^|\r\n)0\r\n\r\n$/.test(body)
}
