import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, it, vi } from 'vitest'
import { startSandbox } from '../../src/start.ts'
import { CHECKS, createCheck, createClient, waitUntil } from '../client.ts'

interface Mail {
  to: string[]
  data: string
}

/** Simulates an SMTP session (RFC 5321): returns the reply to each line, and the mail after its last line. */
function createSmtpSession(refuse: boolean): (line: string) => { reply?: string; mail?: Mail } {
  let mail: Mail = { to: [], data: '' }
  let isData = false
  return (line) => {
    if (isData && line === '.') {
      const completeMail = mail
      mail = { to: [], data: '' }
      isData = false
      return { reply: '250 queued', mail: completeMail }
    }
    if (isData) {
      mail.data += `${line}\n`
      return {}
    }
    isData = line === 'DATA'
    if (!line.startsWith('RCPT TO:')) return { reply: isData ? '354 send the message' : '250 ok' }
    mail.to.push(line.slice(9, -1))
    return { reply: refuse ? '550 nobody here' : '250 ok' }
  }
}

async function startMailServer(refuse = false) {
  const mails: Mail[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 mail.example ready\r\n')
    const respond = createSmtpSession(refuse)
    for await (const line of createInterface({ input: socket })) {
      const { reply, mail } = respond(line)
      if (mail) mails.push(mail)
      if (reply) socket.write(`${reply}\r\n`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    mails,
    // A server that listens on TCP has an address with a port.
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const alert = (...recipients: string[]) => ({ type: 'EMAIL', recipients })

it('emails each alert’s recipients only when the status changes', async () => {
  await using mail = await startMailServer()
  await using sandbox = await startSandbox({ seed: false, checking: false, smtpUrl: mail.url })
  const call = createClient(sandbox.productionUrl)
  const uuid = await createCheck(call, { name: 'Shop\r\nBcc: x@example.com' })
  await call('POST', `${CHECKS}/${uuid}/alerts`, alert('a@example.com', 'b@example.com'))
  await call('POST', `${CHECKS}/${uuid}/alerts`, alert('c@example.com'))
  const setStatus = (status: string) => call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status })
  await setStatus('UNHEALTHY')
  await setStatus('UNHEALTHY')
  await waitUntil(() => mail.mails.length === 2)
  await setStatus('HEALTHY')
  await waitUntil(() => mail.mails.length === 4)
  expect(mail.mails.map(({ to }) => to)).toEqual([
    ['a@example.com', 'b@example.com'],
    ['c@example.com'],
    ['a@example.com', 'b@example.com'],
    ['c@example.com'],
  ])
  expect(mail.mails[0]?.data).toContain('Subject: UNHEALTHY: Shop Bcc: x@example.com\n')
  expect(mail.mails[0]?.data).toContain('was INSTALLING and is now UNHEALTHY')
  expect(mail.mails[2]?.data).toContain('was UNHEALTHY and is now HEALTHY')
})

it('sends an email with the result of a real check', async () => {
  await using mail = await startMailServer()
  await using sandbox = await startSandbox({ seed: false, smtpUrl: mail.url })
  const call = createClient(sandbox.oteUrl)
  const uuid = await createCheck(call, { port: 1 })
  await call('POST', `${CHECKS}/${uuid}/alerts`, alert('a@example.com'))
  // The check may have run before the alert existed. Resetting the status makes it run again.
  await call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status: 'INSTALLING' })
  await call('DELETE', `/_sandbox/health-checks/${uuid}/status`)
  const isDownMail = ({ data }: Mail) => data.includes('was INSTALLING and is now UNHEALTHY')
  await waitUntil(() => mail.mails.some(isDownMail))
  expect(mail.mails.find(isDownMail)?.data).toContain('Subject: UNHEALTHY: Shop (OTE)')
})

it('logs only the first failed email to stderr, and keeps running', async () => {
  await using mail = await startMailServer(true)
  const stderrWrite = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await using sandbox = await startSandbox({ seed: false, checking: false, smtpUrl: mail.url })
    const call = createClient(sandbox.productionUrl)
    const uuid = await createCheck(call)
    await call('POST', `${CHECKS}/${uuid}/alerts`, alert('a@example.com'))
    for (const status of ['UNHEALTHY', 'HEALTHY', 'UNHEALTHY'])
      await call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status })
    await waitUntil(() => stderrWrite.mock.calls.length > 0)
    expect((await call('GET', `${CHECKS}/${uuid}`)).json()).toMatchObject({ data: { status: 'UNHEALTHY' } })
    expect(stderrWrite.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringContaining('sandbox: couldn’t mail an alert'),
    ])
  } finally {
    stderrWrite.mockRestore()
  }
})
