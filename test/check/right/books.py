"""A correct service that uses only the standard library of Python: ids with reserved characters, PUT, PATCH and DELETE.

Usage: books.py [planted fault]. Prints its port.
"""
import hashlib
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote_to_bytes

PLANTED = sys.argv[1] if len(sys.argv) > 1 else ''
TOKEN = 'k7Xw2pQ9sLmZ4tRb8vNc'
MEMBERS = {'id': str, 'title': str, 'author': str, 'year': (int, type(None)), 'available': bool}
SORTABLE = ('id', 'title', 'author', 'year')
FILTERS = ('author', 'title', 'year', 'available')
KNOWN = ('offest', 'limit', 'sort') + FILTERS
LIST, ITEM = 'GET, HEAD, OPTIONS, POST', 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE'

lock = threading.Lock()
books = {}
for n in range(1, 14):
    key = 'shelf/%d 100%%' % n
    books[key] = {'id': key, 'title': 'Title %d' % (n * 4 % 13), 'author': ('Borges', 'Ocampo', 'Cortázar')[n % 3],
                  'year': None if n % 5 == 0 else 1950 + n % 4, 'available': n % 2 == 0}
last = len(books)


class Refused(Exception):
    def __init__(self, status, code, errors=()):
        super().__init__(code)
        self.status, self.code, self.errors = status, code, errors


def text_of(raw):
    try:
        return unquote_to_bytes(raw).decode() if not re.search('%(?![0-9A-Fa-f]{2})', raw) else None
    except UnicodeDecodeError:
        return None


def tag_of(book):
    return '"%s"' % hashlib.md5(json.dumps(book).encode()).hexdigest()


def named(field, tag, weakly):
    found = [one.strip() for one in field.split(',')]
    return found == ['*'] or tag in ([one[2:] if one.startswith('W/') else one for one in found] if weakly else found)


def query_of(raw):
    values, errors = {}, []
    for pair in filter(None, raw.split('&')):
        name, _, value = pair.replace('+', ' ').partition('=')
        name, value = text_of(name), text_of(value)
        if name is None or value is None:
            errors.append('A part of the query cannot be decoded.')
        elif name not in KNOWN:
            errors.append('%s is unknown. Known: %s' % (name, ', '.join(KNOWN)))
        elif name in values:
            errors.append('%s is repeated.' % name)
        else:
            values[name] = value
    for name, most in (('offest', 99999999), ('limit', 50)):
        text = values.get(name, '1')
        if not re.fullmatch('[1-9][0-9]{0,8}', text) or int(text) > most:
            errors.append('%s must be from 1 to %d.' % (name, most))
    terms = [(term.startswith('-'), term.lstrip('+ ') if not term.startswith('-') else term[1:])
             for term in values.get('sort', 'id').split(',')]
    if any(field not in SORTABLE for _, field in terms):
        errors.append('sort must be one or more of %s.' % ', '.join(SORTABLE))
    if not re.fullmatch('-?[0-9]{1,9}', values.get('year', '0')):
        errors.append('year must be a whole number.')
    if values.get('available', 'true') not in ('true', 'false'):
        errors.append('available must be true or false.')
    if errors:
        raise Refused(400, 'invalid-query', errors)
    return values, terms


def page_of(raw):
    values, terms = query_of(raw)
    with lock:
        found = sorted(books.values(), key=lambda book: book['id'])
    for down, field in reversed(terms):
        found.sort(key=lambda book: (book[field] is None, book[field] or 0) if field == 'year' else book[field], reverse=down)
    for name in FILTERS:
        if name in values:
            found = [book for book in found if values[name] == (json.dumps(book[name]) if name in ('year', 'available') else book[name])]
    size = int(values.get('limit', 5))
    number = int(values.get('offest', 1))
    start = (number - 1) * size - (1 if PLANTED == 'pages overlap' and number > 1 else 0)
    return found[start:start + size], len(found)


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    # Sends the head and the body in one packet: otherwise each answer waits for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, value=None, fields=(), media='application/json'):
        body = b'' if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in fields:
            self.send_header(name, text)
        if body:
            self.send_header('Content-Type', media)
        if status not in (204, 304):
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def handle_one(self):
        length = int(self.headers.get('Content-Length') or 0)
        self.sent = self.rfile.read(length)
        try:
            self.route()
        except Refused as refused:
            problem = {'type': 'about:blank', 'title': refused.code, 'status': refused.status, 'code': refused.code}
            if refused.errors:
                problem['errors'] = [one if isinstance(one, dict) else {'detail': one} for one in refused.errors]
            fields = [('Cache-Control', 'no-store')]
            if refused.status == 401:
                fields.append(('WWW-Authenticate', 'Bearer'))
            if refused.status == 405:
                fields.append(('Allow', self.allow))
            self.answer(refused.status, problem, fields, 'application/problem+json')

    do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

    def route(self):
        path, _, query = self.path.partition('?')
        parts = path.rstrip('/').split('/')[1:]
        if not parts or parts[0] != 'v2':
            raise Refused(404, 'no-route')
        if self.headers.get('Authorization') != 'Bearer ' + TOKEN:
            raise Refused(401, 'unauthenticated')
        if parts[1:2] != ['books'] or len(parts) > 3:
            raise Refused(404, 'no-route')
        self.allow = LIST if len(parts) == 2 else ITEM
        if self.command not in self.allow.split(', '):
            raise Refused(405, 'method-not-allowed')
        if self.command == 'OPTIONS':
            return self.answer(204, fields=[('Allow', self.allow)])
        # Check Accept before anything is changed.
        self.accept()
        if len(parts) == 3:
            return self.item(text_of(parts[2]))
        if self.command == 'POST':
            return self.create()
        shown, total = page_of(query)
        self.show(shown, [('x-total-count', str(total))])

    def accept(self):
        ranges = [[part.strip() for part in one.split(';')] for one in (self.headers.get('Accept') or '*/*').split(',')]
        best = next((one for name in ('application/json', 'application/*', '*/*') for one in ranges if one[0] == name), None)
        if best is None or any(re.fullmatch(r'q=0(\.0*)?', part) for part in best):
            raise Refused(415, 'not-acceptable')

    def show(self, value, fields=()):
        tag = tag_of(value)
        fields = [('ETag', tag), ('Cache-Control', 'private, no-cache'), ('Vary', 'Authorization'), *fields]
        known = self.headers.get('If-None-Match')
        if self.command == 'GET' and known is not None and named(known, tag, True):
            return self.answer(304, fields=fields)
        self.answer(200, value, fields)

    def body(self):
        if self.headers.get_content_type() not in ('application/json', 'application/merge-patch+json') or 'Content-Type' not in self.headers:
            raise Refused(415, 'media-type')
        try:
            body = json.loads(self.sent)
        except (ValueError, RecursionError):
            raise Refused(400, 'malformed')
        if not isinstance(body, dict):
            raise Refused(422, 'invalid', ['The body is not an object.'])
        wrong = [name for name, value in body.items() if name not in MEMBERS or not isinstance(value, MEMBERS[name])]
        if wrong:
            raise Refused(422, 'invalid', [{'detail': '%s is unknown or has the wrong type.' % name, 'pointer': '/' + name} for name in wrong])
        return body

    def create(self):
        global last
        body = self.body()
        with lock:
            last += 1
            key = 'shelf/%d 100%%' % last
            books[key] = {'id': key, 'title': '', 'author': '', 'year': None, 'available': False, **body, 'id': key}
        self.answer(201, fields=[('Location', 'http://%s/v2/books/%s' % (self.headers['Host'], quote(key, safe='')))])

    def item(self, key):
        if key is None:
            raise Refused(400, 'undecodable')
        with lock:
            book = books.get(key)
        if book is None:
            raise Refused(404, 'no-item')
        if self.command == 'HEAD' and PLANTED != 'HEAD is 200':
            return self.answer(302)
        if self.command in ('GET', 'HEAD'):
            return self.show(book)
        body = self.body() if self.command != 'DELETE' else {}
        if body.get('id', key) != key:
            raise Refused(422, 'invalid', [{'detail': 'The id must be the one in the path.', 'pointer': '/id'}])
        with lock:
            book = books.get(key)
            if book is None:
                raise Refused(404, 'no-item')
            field = self.headers.get('If-Match')
            if PLANTED != 'If-Match ignored' and field is not None and not named(field, tag_of(book), False):
                raise Refused(412, 'stale')
            known = self.headers.get('If-None-Match')
            if known is not None and named(known, tag_of(book), True):
                raise Refused(412, 'known')
            if self.command == 'DELETE':
                del books[key]
            else:
                start = {'id': key, 'title': '', 'author': '', 'year': None, 'available': False} if self.command == 'PUT' else book
                book = books[key] = {**start, **body, 'id': key}
        if self.command == 'DELETE':
            return self.answer(204)
        self.show(book)


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
