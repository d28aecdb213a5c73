import { expect, test } from 'vitest'
import { parseConninfo } from './conninfo.ts'

test('a URI goes to the driver as it is', () => {
  const uri = 'postgresql://u:p@h:5433/d'
  expect(parseConninfo(uri)).toEqual({ connectionString: uri })
})

test('keywords and values are read as libpq reads them', () => {
  expect(parseConninfo(String.raw` host=h port = 5433 dbname='my db' user=u password='it\'s \\ x' `)).toEqual(
    {
      host: 'h',
      port: 5433,
      database: 'my db',
      user: 'u',
      password: String.raw`it's \ x`,
      ssl: false,
    },
  )
  expect(parseConninfo("host='' sslmode=require")).toEqual({ host: '', ssl: { rejectUnauthorized: false } })
  expect(parseConninfo('sslmode=verify-full')).toEqual({ ssl: {} })
})

test('what cannot be read is refused without repeating a value', () => {
  for (const conninfo of [
    'secret',
    'password=secret hots=x',
    "password='secret",
    'port=secret',
    'sslmode=secret',
  ]) {
    const read = () => parseConninfo(conninfo)
    expect(read).toThrow(/neither a URI|not known|must be/)
    expect(read).not.toThrow(/secret/)
  }
})
