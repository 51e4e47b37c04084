-- {{< logitscope lesson=temperature >}}: a lesson in a frame, or the instrument with
-- {{< logitscope query="model=verbs&view=sweep" >}}. `site` says where the folder dist/ lies.

local NAMED = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

local function attribute(text)
  return (text:gsub('[&<>"]', NAMED))
end

local function encoded(text)
  return (text:gsub('[^%w%-_.~/]', function(sign)
    return string.format('%%%02X', sign:byte())
  end))
end

local function logitscope(args, kwargs, meta)
  local function given(name, otherwise)
    local text = pandoc.utils.stringify(kwargs[name] or '')
    return text ~= '' and text or otherwise
  end
  if not quarto.doc.is_format('html:js') then
    return pandoc.Null()
  end
  local around = meta['logitscope-site'] and pandoc.utils.stringify(meta['logitscope-site'])
  local site = given('site', around or 'logitscope/')
  local lesson = given('lesson', nil)
  local query = given('query', lesson and 'lesson=' .. encoded(lesson) or 'view=landscape')
  local lang = given('lang', meta.lang and pandoc.utils.stringify(meta.lang))
  if lang then
    query = query .. '&lang=' .. encoded(lang)
  end
  return pandoc.RawBlock(
    'html',
    string.format(
      '<iframe src="%s?%s" title="%s" width="100%%" height="%s"></iframe>',
      attribute(site),
      attribute(query),
      attribute(given('title', 'Logitscope')),
      attribute(given('height', '900'))
    )
  )
end

return { logitscope = logitscope }
