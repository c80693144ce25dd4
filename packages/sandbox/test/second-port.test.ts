import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'

/** Occupies a port and returns the free port before it. A sandbox started on `first` can't get its second port. */
async function occupySecondPort(): Promise<{ first: number } & AsyncDisposable> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const server = createServer()
    const second = await listenOn(server, 0)
    const neighbor = createServer()
    const first = await listenOn(neighbor, second - 1).catch(() => undefined)
    await new Promise((resolve) => neighbor.close(resolve))
    const dispose = () => new Promise<void>((resolve) => server.close(() => resolve()))
    if (first !== undefined) return { first, [Symbol.asyncDispose]: dispose }
    await dispose()
  }
  throw new Error('No two neighboring ports are free.')
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // A server that listens on TCP has an address with a port.
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

it('leaves no server running if the second port is in use', async () => {
  await using occupied = await occupySecondPort()
  await expect(startSandbox({ port: occupied.first })).rejects.toThrow('EADDRINUSE')
  const nextServer = createServer()
  expect(await listenOn(nextServer, occupied.first)).toBe(occupied.first)
  await new Promise((resolve) => nextServer.close(resolve))
})
