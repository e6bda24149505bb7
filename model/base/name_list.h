// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rqscope {

/// Edit distance of two names: letters put in, taken out or changed.
std::size_t editDistance(std::string_view a, std::string_view b);
/// At most `most` of the names, those nearest to `word` first, and how many there are beside: "a, b and 12
/// more". All of them in their own order when they are no more than that.
std::string nameList(std::string_view word, const std::vector<std::string_view>& names,
                     std::size_t most = 10);
/// What would be right instead of `word`: "did you mean a?", or `intro` and the list of names.
std::string nameHint(std::string_view word, const std::vector<std::string_view>& names,
                     std::string_view intro);
/// The same for a name that stands in quotes in a file.
std::string quotedNameHint(std::string_view word, const std::vector<std::string_view>& names,
                           std::string_view intro);

}  // namespace rqscope
