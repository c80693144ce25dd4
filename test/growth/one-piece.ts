/** Works on the largest input that keep the process for longer than it should, and why they are left so. */
export const IN_ONE_PIECE: Readonly<Record<string, string>> = {
  'the body of a request': 'only Slack can sign one, and none of its own has so many fields',
  'a cell of a CSV file': 'the addresses of one cell are read together',
  'an order, shown': 'one message, of the names of a request of 64 KB',
  'a page of health checks': 'JSON.parse of 4 MB',
  'the alerts of a check': 'JSON.parse of 4 MB',
  'a threat event': 'JSON.parse of 4 MB',
  'a mistyped name, however long': 'one folding of the longest line that is taken',
  'a decision about a channel of many watches':
    '500 watches that were each saved while the same 500 checks were down',
  'an .env file': 'read at a start, before anybody waits',
}
