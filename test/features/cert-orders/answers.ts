/*
 * Answers with a success status to an order. The service doesn't document any, so these are guesses, public clients' fixtures, and
 * wordings that fooled earlier versions. `received`: the answer gives the order an ID and reports no errors.
 */

const answerWith = (attributes: object, more: object = {}, id: unknown = '42') =>
  JSON.stringify({ data: { type: 'order', id, attributes, ...more } })
const ECHO = {
  action: 'create',
  duration: '1 year',
  infos: { validation_method: 'VALIDATE_DNS', web_server: 'others' },
  customer_id: 7,
  order_reference: 'PO 12',
}

/** With an order ID. Nothing else in them decides: neither the good words nor the bad ones. */
export const RECEIVED_ANSWERS: Readonly<Record<string, string>> = {
  'id only': JSON.stringify({ data: { type: 'order', id: '42' } }),
  'numeric id': answerWith({}, {}, 42),
  '21 digits': '{"data":{"id":"123456789012345678901"}}',
  echo: answerWith(ECHO),
  issued: answerWith({ status: 'ISSUED', certificate: 'x' }),
  'errors empty': JSON.stringify({ errors: [], data: { id: '42' } }),
  'error null': JSON.stringify({ error: null, data: { id: '42' } }),
  'errors 0': JSON.stringify({ errors: 0, data: { id: '42' } }),
  'another field about errors': '{"data":{"id":"1"},"errorReport":"no"}',
  'byte order mark': `\ufeff${answerWith({})}`,
  deep: `{"data":{"id":"1"},"a":${'['.repeat(100)}${']'.repeat(100)}}`,
}

/** Without one. The service may have the order, so a person has to look. */
export const UNCLEAR_ANSWERS: Readonly<Record<string, string>> = {
  'a number that JavaScript rounds': '{"data":{"id":9007199254740993}}',
  'a fraction as ID': '{"data":{"id":1.5}}',
  'A6 status REJECTED': '{"status":"REJECTED"}',
  null: 'null',
  '[]': '[]',
  html: '<html><body>OK</body></html>',
  'data null': '{"data":null}',
  'data list': '{"data":[{"id":"42"}]}',
  'data.id empty': '{"data":{"id":""}}',
  'data.id with words': '{"data":{"id":"1 placed"}}',
  'data.id the word null': '{"data":{"id":"null"}}',
  'data.id in reverse': '{"data":{"id":"\\u202e4711"}}',
  'data.id object': '{"data":{"id":{}}}',
  'data.id negative': '{"data":{"id":-4}}',
  'id outside data': '{"id":"42"}',
  42: '42',
  errors: '{"errors":[{"code":"BAD_CONTEXT","message":"x"}],"data":{"id":"1"}}',
  'error text': '{"error":"x","data":{"id":"1"}}',
  'error in capitals': '{"Error":{"code":1},"data":{"id":"1"}}',
  'errors in data': '{"data":{"id":"1","errors":["x"]}}',
  'errors in attributes': answerWith({ errors: [{ detail: 'x' }] }),
  'cut-off JSON': '{"data":{"id":"42"',
}
