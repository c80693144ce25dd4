'use strict'
// Loaded into an app that the playground starts (NODE_OPTIONS=--require). Slack's own libraries, and slack-edge, have the address of Slack
// as a default in their code, and some give an app no way to change it (Bolt's Socket Mode): here they are read with the
// playground's address in its place. No file is changed, and an app that names an address of its own keeps it.
//
// What the app calls while it handles a request carries that request's `traceparent`, by which the playground tells of whose
// doing it comes; what it does by itself carries one of its own.
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks')
const { randomBytes } = require('node:crypto')
const http = require('node:http')
const Module = require('node:module')
const net = require('node:net')
const tls = require('node:tls')

const address = process.env.SIGNALMAN_PLAYGROUND_URL
const ownCode = /[\\/]node_modules[\\/](?:@slack|slack-edge|slack-web-api-client)[\\/]/
const slack = /https:\/\/slack\.com(?=[/'"`])/g
const traces = new AsyncLocalStorage()
const realSlack = /(?:^|\.)slack(?:-edge|-files|-msgs)?\.com\.?$/i

const traceNow = () =>
  traces.getStore() ?? `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

/** Puts a function around one that is there. */
function around(holder, name, make) {
  const before = holder?.[name]
  if (typeof before === 'function') holder[name] = make(before)
}

/** What hands work on to a later moment: a queue of calls, and a socket's messages. */
function follow(filename, exports) {
  if (/[\\/]p-queue[\\/]/.test(filename))
    around(
      exports.default?.prototype,
      'add',
      (add) =>
        function addForPlayground(work, ...rest) {
          return add.call(this, AsyncResource.bind(work), ...rest)
        },
    )
  if (/SocketModeClient\.js$/.test(filename))
    around(
      exports.SocketModeClient?.prototype,
      'onWebSocketMessage',
      (hear) =>
        function hearForPlayground(data, ...rest) {
          const [, trace] = /"traceparent":"([0-9a-f-]+)"\}$/.exec(String(data)) ?? []
          return traces.run(trace, () => hear.call(this, data, ...rest))
        },
    )
}

/** The host of a connection, from the forms of arguments that `net.Socket#connect` and `tls.connect` take. */
function hostFrom([first, second]) {
  const options = Array.isArray(first) ? first[0] : first
  if (typeof options === 'object' && options !== null) return String(options.servername || options.host || '')
  return typeof second === 'string' ? second : String(second?.servername ?? '')
}

/** Why a connection is stopped; undefined if it doesn't go to the real Slack. Also prints it. */
function refuseSlack(given) {
  const host = hostFrom(given)
  if (!realSlack.test(host)) return undefined
  const error = new Error(
    `The app called the real Slack (${host}) and was stopped. Make it use the local Slack: set the address of its API client to SLACK_API_URL (${process.env.SLACK_API_URL}).`,
  )
  error.code = 'ERR_REAL_SLACK'
  process.stderr.write(`${error.message}\n`)
  return error
}

function failing(socket, error) {
  process.nextTick(() => socket.destroy(error))
  return socket
}

/** A test must never reach a real workspace, whatever token and address its app was given. */
function stopCallsToSlack() {
  around(
    net.Socket.prototype,
    'connect',
    (connect) =>
      function connectForPlayground(...given) {
        const error = refuseSlack(given)
        return error ? failing(this, error) : connect.apply(this, given)
      },
  )
  // Over a proxy of the app's own, the connection goes to the proxy, and only TLS has the name of the host.
  around(
    tls,
    'connect',
    (connect) =>
      function connectForPlayground(...given) {
        const error = refuseSlack(given)
        return error ? failing(new net.Socket(), error) : connect.apply(this, given)
      },
  )
}

function passOn() {
  around(
    http.Server.prototype,
    'emit',
    (emit) =>
      function emitForPlayground(event, request, ...rest) {
        const trace = event === 'request' ? request.headers.traceparent : undefined
        if (trace === undefined) return emit.call(this, event, request, ...rest)
        return traces.run(trace, () => {
          // Its body comes later, by events of its own.
          around(request, 'emit', (own) => AsyncResource.bind(own))
          return emit.call(this, event, request, ...rest)
        })
      },
  )
  around(
    http,
    'request',
    (request) =>
      function requestForPlayground(...given) {
        const call = request.apply(this, given)
        const isOurs = `http://${call.getHeader('host')}` === address
        if (isOurs && !call.headersSent && !call.hasHeader('traceparent'))
          call.setHeader('traceparent', traceNow())
        return call
      },
  )
  Module.syncBuiltinESMExports()
  around(
    globalThis,
    'fetch',
    (fetch) =>
      function fetchForPlayground(input, init) {
        const url = String(input?.url ?? input)
        if (!url.startsWith(`${address}/`)) return fetch(input, init)
        const headers = new Headers(init?.headers ?? input?.headers)
        if (!headers.has('traceparent')) headers.set('traceparent', traceNow())
        return fetch(input, { ...init, headers })
      },
  )
}

if (address) {
  const compile = Module.prototype._compile
  Module.prototype._compile = function compileForPlayground(content, filename, ...rest) {
    const isSlacks = typeof content === 'string' && ownCode.test(filename)
    const done = compile.call(this, isSlacks ? content.replace(slack, address) : content, filename, ...rest)
    follow(filename, this.exports)
    return done
  }
  stopCallsToSlack()
  passOn()
}
